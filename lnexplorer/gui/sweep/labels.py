"""Names of settings where they stand without the group that they belong to."""

from lnexplorer.domain.parameters import BY_NAME, GROUPS
from lnexplorer.gui.i18n.texts import domain_text


def setting_label(name: str) -> str:
    """What people call a setting; of stage 2 with its stage, as others have the same names."""
    parameter = BY_NAME[name]
    return f"{parameter.label} ({domain_text(GROUPS['stage2'])})" if parameter.group == "stage2" else parameter.label
