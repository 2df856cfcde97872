"""Parts of the parameters' form, made from the parameters' one declaration."""
