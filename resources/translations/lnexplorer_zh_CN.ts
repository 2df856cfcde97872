<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>ChartDialog</name>
    <message>
        <source>Chart</source>
        <translation>图表</translation>
    </message>
    <message>
        <source>For print: dark on white</source>
        <translation>供打印：白底深色</translation>
    </message>
    <message>
        <source>As on the screen</source>
        <translation>与屏幕相同</translation>
    </message>
    <message>
        <source>Save a chart</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Height</source>
        <translation>高度</translation>
    </message>
    <message>
        <source>Text and lines</source>
        <translation>文字和线条</translation>
    </message>
</context>
<context>
    <name>Commands</name>
    <message>
        <source>Open</source>
        <translation>打开</translation>
    </message>
    <message>
        <source>Before → after the timing</source>
        <translation>计时之前 → 之后</translation>
    </message>
</context>
<context>
    <name>ExportController</name>
    <message>
        <source>Save recording</source>
        <translation>保存实测记录</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>保存图片</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Save a chart</source>
        <translation>保存图表</translation>
    </message>
    <message>
        <source>Save this moment</source>
        <translation>保存此刻</translation>
    </message>
    <message>
        <source>Lecture handout</source>
        <translation>讲义</translation>
    </message>
    <message>
        <source>driver {version}</source>
        <translation>驱动 {version}</translation>
    </message>
</context>
<context>
    <name>FilmDialog</name>
    <message>
        <source>Film of the reduction</source>
        <translation>归约的影片</translation>
    </message>
    <message>
        <source>Make film …</source>
        <translation>制作影片…</translation>
    </message>
    <message>
        <source>Large text, for half a slide</source>
        <translation>大号文字，适合半张幻灯片</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Size</source>
        <translation>尺寸</translation>
    </message>
    <message>
        <source>From – to</source>
        <translation>从 – 到</translation>
    </message>
    <message>
        <source>Lasts</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Saved in {0}; frames: {1}, {2} a second.</source>
        <translation>已保存到 {0}：共 {1} 帧，每秒 {2} 帧。</translation>
    </message>
    <message>
        <source>{0} cannot be written ({1}).</source>
        <translation>无法写入 {0}（{1}）。</translation>
    </message>
</context>
<context>
    <name>Headline</name>
    <message>
        <source>A trace without results</source>
        <translation>没有结果的追踪</translation>
    </message>
    <message>
        <source>✓ Within tolerance</source>
        <translation>✓ 在容差之内</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Largest error of {name} against the float64 truth</source>
        <translation>{name} 相对 float64 真值的最大误差</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>not measured</source>
        <translation>未测量</translation>
    </message>
    <message>
        <source>Without a GPU there is no speed to measure: the interpreter&apos;s times mean nothing.</source>
        <translation>没有 GPU 就没有速度可测：解释器的时间没有意义。</translation>
    </message>
    <message>
        <source>Throughput of the kernels</source>
        <translation>内核的吞吐量</translation>
    </message>
    <message>
        <source>No result yet</source>
        <translation>还没有结果</translation>
    </message>
    <message>
        <source>{name}: largest error {kernel} against the float64 truth, PyTorch&apos;s own {torch}; elements are allowed up to {tolerance}, each what is argued for it</source>
        <translation>{name}：与 float64 真值的最大误差 {kernel}，PyTorch 自身的误差 {torch}；各元素允许的误差最大为 {tolerance}，每个元素有各自的界</translation>
    </message>
    <message>
        <source>{share} of ceiling</source>
        <translation>占上限 {share}</translation>
    </message>
    <message>
        <source>{direction}, {mode}, {kind}: {gbps} GB/s, median {time}</source>
        <translation>{direction}，{mode}，{kind}：{gbps} GB/s，中位数 {time}</translation>
    </message>
</context>
<context>
    <name>LectureWindow</name>
    <message>
        <source>Lecture</source>
        <translation>讲座</translation>
    </message>
</context>
<context>
    <name>MachineDialog</name>
    <message>
        <source>Add a machine</source>
        <translation>添加机器</translation>
    </message>
    <message>
        <source>found by itself, or a path such as ~/venv/bin/python</source>
        <translation>自动查找，或一个路径，例如 ~/venv/bin/python</translation>
    </message>
    <message>
        <source>Reached by your own ssh, with your keys and configuration. No password is asked for.</source>
        <translation>用您自己的 ssh 连接，使用您的密钥和配置。不会询问密码。</translation>
    </message>
    <message>
        <source>&amp;Test</source>
        <translation>测试(&amp;T)</translation>
    </message>
    <message>
        <source>&amp;Use this machine</source>
        <translation>使用这台机器(&amp;U)</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Python there</source>
        <translation>那里的 Python</translation>
    </message>
    <message>
        <source>Looking …</source>
        <translation>正在查看…</translation>
    </message>
    <message>
        <source>not installed</source>
        <translation>未安装</translation>
    </message>
    <message>
        <source>driver</source>
        <translation>驱动</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>none: the kernels run on Triton&apos;s interpreter there</source>
        <translation>无：内核在那里的 Triton 解释器上运行</translation>
    </message>
    <message>
        <source>An address looks like {short} or {long}, and a Python like {python}.</source>
        <translation>地址形如 {short} 或 {long}，Python 形如 {python}。</translation>
    </message>
</context>
<context>
    <name>ManualWindow</name>
    <message>
        <source>Manual</source>
        <translation>手册</translation>
    </message>
</context>
<context>
    <name>MapCard</name>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
</context>
<context>
    <name>OwnKernels</name>
    <message>
        <source>Open a kernel: its code is run</source>
        <translation>打开内核：其代码会被运行</translation>
    </message>
    <message>
        <source>Python</source>
        <translation>Python</translation>
    </message>
    <message>
        <source>New kernel</source>
        <translation>新建内核</translation>
    </message>
    <message>
        <source>Save this version</source>
        <translation>保存此版本</translation>
    </message>
</context>
<context>
    <name>ParametersController</name>
    <message>
        <source>Save as preset</source>
        <translation>存为预设</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
</context>
<context>
    <name>RowsTable</name>
    <message>
        <source>Copy or export the selected runs</source>
        <translation>复制或导出所选的运行</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>排序依据</translation>
    </message>
</context>
<context>
    <name>Sessions</name>
    <message>
        <source>Save session</source>
        <translation>保存会话</translation>
    </message>
</context>
<context>
    <name>SpeakerWindow</name>
    <message>
        <source>Lecture: notes</source>
        <translation>讲座：备注</translation>
    </message>
    <message>
        <source>next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>The end</source>
        <translation>结束</translation>
    </message>
    <message>
        <source>T pauses, R resets</source>
        <translation>T 暂停，R 归零</translation>
    </message>
    <message>
        <source>T starts, R resets</source>
        <translation>T 开始，R 归零</translation>
    </message>
</context>
<context>
    <name>Strips</name>
    <message>
        <source>columns 0 … {last}</source>
        <translation>列 0 … {last}</translation>
    </message>
    <message>
        <source>line</source>
        <translation>代码行</translation>
    </message>
</context>
<context>
    <name>SweepController</name>
    <message>
        <source>Save sweep</source>
        <translation>保存参数扫描</translation>
    </message>
</context>
<context>
    <name>SweepForm</name>
    <message>
        <source>{field} = {value} is not possible. {allowed}.</source>
        <translation>{field} = {value} 不可行。{allowed}。</translation>
    </message>
</context>
<context>
    <name>ThroughputPane</name>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
</context>
<context>
    <name>Tour</name>
    <message>
        <source>Try your own</source>
        <translation>亲手试试</translation>
    </message>
</context>
<context>
    <name>sentence</name>
    <message>
        <source>The worker was replaced by one for another device.</source>
        <translation>工作进程已换成另一设备的工作进程。</translation>
    </message>
    <message>
        <source>while starting</source>
        <translation>启动时</translation>
    </message>
    <message>
        <source>while waiting for work</source>
        <translation>等待任务时</translation>
    </message>
    <message>
        <source>while compiling</source>
        <translation>编译时</translation>
    </message>
    <message>
        <source>while running</source>
        <translation>运行时</translation>
    </message>
    <message>
        <source>The interpreter was asked for.</source>
        <translation>按要求使用解释器。</translation>
    </message>
    <message>
        <source>device = {wish} is not known: choose auto, interpreter, or cuda:0, cuda:1 and so on.</source>
        <translation>不认识设备 {wish}：请选择 auto、interpreter，或 cuda:0、cuda:1 等。</translation>
    </message>
    <message>
        <source>device = {wish} cannot be used. {reason}</source>
        <translation>设备 {wish} 无法使用。{reason}</translation>
    </message>
    <message>
        <source>device = {wish} is not there: the last GPU is cuda:{last}.</source>
        <translation>没有设备 {wish}：最后一个 GPU 是 cuda:{last}。</translation>
    </message>
    <message>
        <source>{gpu} does not work with torch {version}: {error}.</source>
        <translation>{gpu} 无法与 torch {version} 配合工作：{error}。</translation>
    </message>
    <message>
        <source>{gpu} drives the display: while kernels run, the screen may stutter, and times vary more.</source>
        <translation>{gpu} 正在驱动显示器：内核运行时画面可能卡顿，时间的波动也更大。</translation>
    </message>
    <message>
        <source>Triton&apos;s interpreter computes on the CPU: results are real, times and contention mean nothing.</source>
        <translation>Triton 的解释器在 CPU 上计算：结果是真实的，时间和争用没有意义。</translation>
    </message>
    <message>
        <source>There is no NVIDIA driver here.</source>
        <translation>这里没有 NVIDIA 驱动。</translation>
    </message>
    <message>
        <source>recording</source>
        <translation>实测记录</translation>
    </message>
    <message>
        <source>session</source>
        <translation>会话文件</translation>
    </message>
    <message>
        <source>recorded experiment</source>
        <translation>实测的实验</translation>
    </message>
    <message>
        <source>recorded sweep</source>
        <translation>实测的参数扫描</translation>
    </message>
    <message>
        <source>it holds neither a run nor a timeline</source>
        <translation>其中既没有运行，也没有时间线</translation>
    </message>
    <message>
        <source>curves beside the sweep</source>
        <translation>参数扫描旁的曲线</translation>
    </message>
    <message>
        <source>the parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>{part} {place}</source>
        <translation>{place} {part}</translation>
    </message>
    <message>
        <source>a curve of it is impossible</source>
        <translation>其中有一条不可能的曲线</translation>
    </message>
    <message>
        <source>what is on the screen</source>
        <translation>屏幕上的内容</translation>
    </message>
    <message>
        <source>the timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>the form of the sweep</source>
        <translation>参数扫描的表单</translation>
    </message>
    <message>
        <source>it holds no session</source>
        <translation>其中没有会话</translation>
    </message>
    <message>
        <source>a piece was taken by a program that is not there</source>
        <translation>有一块由不存在的程序实例取走</translation>
    </message>
    <message>
        <source>the pieces do not hold every row exactly once</source>
        <translation>各块没有恰好包含每一行一次</translation>
    </message>
    <message>
        <source>it has no row</source>
        <translation>其中没有任何行</translation>
    </message>
    <message>
        <source>its experiment is not known</source>
        <translation>其中的实验未知</translation>
    </message>
    <message>
        <source>it holds neither times nor a model that gives them</source>
        <translation>既没有时间，也没有给出时间的模型</translation>
    </message>
    <message>
        <source>waits have a begin and an end, or neither</source>
        <translation>等待要么有起点和终点，要么都没有</translation>
    </message>
    <message>
        <source>a piece has at least one row, a row one slice, and a clock does not step backwards</source>
        <translation>一个片段至少有一行，一行至少有一个切片，而且时钟不会倒退</translation>
    </message>
    <message>
        <source>a program takes a row twice</source>
        <translation>一个程序实例取了同一行两次</translation>
    </message>
    <message>
        <source>it is damaged</source>
        <translation>它已损坏</translation>
    </message>
    <message>
        <source>the disk is full</source>
        <translation>磁盘已满</translation>
    </message>
    <message>
        <source>it cannot be written</source>
        <translation>无法写入</translation>
    </message>
    <message>
        <source>it cannot be opened</source>
        <translation>无法打开</translation>
    </message>
    <message>
        <source>the disk does not read or write</source>
        <translation>磁盘无法读写</translation>
    </message>
    <message>
        <source>another program holds it</source>
        <translation>另一个程序正占用它</translation>
    </message>
    <message>
        <source>The search ends: it finds no setting that it has not tried.</source>
        <translation>搜索结束：它找不到没有试过的设置。</translation>
    </message>
    <message>
        <source>No space left on device</source>
        <translation>设备上没有剩余空间</translation>
    </message>
    <message>
        <source>Permission denied</source>
        <translation>没有权限</translation>
    </message>
    <message>
        <source>No such file or directory</source>
        <translation>没有这样的文件或文件夹</translation>
    </message>
    <message>
        <source>Is a directory</source>
        <translation>它是一个文件夹</translation>
    </message>
    <message>
        <source>Not a directory</source>
        <translation>它不是文件夹</translation>
    </message>
    <message>
        <source>Read-only file system</source>
        <translation>文件系统是只读的</translation>
    </message>
    <message>
        <source>Input/output error</source>
        <translation>输入输出错误</translation>
    </message>
    <message>
        <source>Disk quota exceeded</source>
        <translation>超出磁盘配额</translation>
    </message>
    <message>
        <source>compiling took longer than {seconds:g} s and was ended</source>
        <translation>编译超过 {seconds:g} s，已被结束</translation>
    </message>
    <message>
        <source>the compiler&apos;s process could not be started: {reason}</source>
        <translation>无法启动编译器进程：{reason}</translation>
    </message>
    <message>
        <source>the compiler&apos;s process ended with status {status}: {last_line}</source>
        <translation>编译器进程以状态 {status} 结束：{last_line}</translation>
    </message>
    <message>
        <source>it belongs to strategy {owners}, not to {strategy}</source>
        <translation>它属于策略 {owners}，不属于 {strategy}</translation>
    </message>
    <message>
        <source>choose one of {choices}</source>
        <translation>请选 {choices} 之一</translation>
    </message>
    <message>
        <source>take it off: a program holds {columns} columns in {blocks} blocks at most, and N = {n} needs more</source>
        <translation>请关闭：一个程序实例最多用 {blocks} 个块容纳 {columns} 列，而 N = {n} 需要更多</translation>
    </message>
    <message>
        <source>take 0: BLOCK_SIZE is less than N = {n}, and then each row has its program</source>
        <translation>请取 0：BLOCK_SIZE 小于 N = {n}，这时每行各有一个程序实例</translation>
    </message>
    <message>
        <source>take 1: a program with one tile of rows has no other to load ahead</source>
        <translation>请取 1：只有一个分块的程序实例没有别的分块可以提前加载</translation>
    </message>
    <message>
        <source>take 1: BLOCK_SIZE is less than N = {n}</source>
        <translation>可取 1：BLOCK_SIZE 小于 N = {n}</translation>
    </message>
    <message>
        <source>take at least {least}: stage 1 holds a whole row, and columns past its block would be dropped</source>
        <translation>至少取 {least}：阶段 1 持有整行，块以外的列会被丢掉</translation>
    </message>
    <message>
        <source>take it off: a row of {n} columns is held in blocks, and its sums with them</source>
        <translation>请关闭：{n} 列的一行分块容纳，它的和也随之分块</translation>
    </message>
    <message>
        <source>take 1: a row of {n} columns is held in blocks</source>
        <translation>请取 1：{n} 列的一行分块容纳</translation>
    </message>
    <message>
        <source>{field} = {value} is not possible: {allowed}</source>
        <translation>{field} = {value} 不可行：{allowed}</translation>
    </message>
    <message>
        <source>take one of {choices}</source>
        <translation>可取 {choices} 之一</translation>
    </message>
    <message>
        <source>{allowed}, or automatic</source>
        <translation>{allowed}，或自动</translation>
    </message>
    <message>
        <source>take on or off</source>
        <translation>可取开或关</translation>
    </message>
    <message>
        <source>take a power of two from {least} to {most}</source>
        <translation>可取 {least} 到 {most} 之间的 2 的幂</translation>
    </message>
    <message>
        <source>take a whole number from {least} to {most}</source>
        <translation>可取 {least} 到 {most} 之间的整数</translation>
    </message>
    <message>
        <source>take a whole number, at least {least}</source>
        <translation>可取不小于 {least} 的整数</translation>
    </message>
    <message>
        <source>take a number</source>
        <translation>可取一个数</translation>
    </message>
    <message>
        <source>take 1 to {most} with num_warps = {warps}: programs of a row wait for each other, so all have to fit</source>
        <translation>用 num_warps = {warps} 时可取 1 到 {most}：一行的各个程序实例互相等待，所以要全部放得下</translation>
    </message>
    <message>
        <source>take fewer: slices begin at multiples of {columns} columns, and with N = {n} the last would have none</source>
        <translation>请取小一些：每段从 {columns} 列的倍数处开始，而 N = {n} 时最后一段会没有列</translation>
    </message>
    <message>
        <source>a row of {n} columns would be shared by {slices} programs, and there are {sms} SMs</source>
        <translation>{n} 列的一行要由 {slices} 个程序实例分担，而只有 {sms} 个 SM</translation>
    </message>
    <message>
        <source>take at least {least}: a program holds {columns} columns in {blocks} blocks at most</source>
        <translation>请取至少 {least}：一个程序实例最多用 {blocks} 个块容纳 {columns} 列</translation>
    </message>
    <message>
        <source>strategy {strategy} holds a row in one program, at most {most} columns; take split or auto</source>
        <translation>策略 {strategy} 由一个程序实例持有整行，最多 {most} 列；可选 split 或 auto</translation>
    </message>
    <message>
        <source>take fewer: tiles in flight would take {needed} KiB of shared memory, and a program has {room} KiB</source>
        <translation>请取小一些：在途分块要占 {needed} KiB 共享内存，而一个程序实例只有 {room} KiB</translation>
    </message>
    <message>
        <source>its product with reduce_block_size_n = {columns} is at most {most}</source>
        <translation>它与 reduce_block_size_n = {columns} 的乘积至多为 {most}</translation>
    </message>
    <message>
        <source>{entry} takes a name that belongs to this program</source>
        <translation>{entry} 占用了属于本程序的名称</translation>
    </message>
    <message>
        <source>{entry} cannot be loaded: {error}</source>
        <translation>无法加载 {entry}：{error}</translation>
    </message>
    <message>
        <source>{package} has no module {module}</source>
        <translation>{package} 没有模块 {module}</translation>
    </message>
    <message>
        <source>package {package} is not installed</source>
        <translation>没有安装软件包 {package}</translation>
    </message>
    <message>
        <source>through autograd, {wrong}</source>
        <translation>经由 autograd 时，{wrong}</translation>
    </message>
    <message>
        <source>{name} has shape {shape} in place of {expected}</source>
        <translation>{name} 的形状是 {shape}，应为 {expected}</translation>
    </message>
    <message>
        <source>take a whole number from 0 to {last}</source>
        <translation>请取 0 到 {last} 之间的整数</translation>
    </message>
    <message>
        <source>choose locked</source>
        <translation>请选 locked</translation>
    </message>
    <message>
        <source>choose the interpreter: a GPU does not tell what it touches</source>
        <translation>请选解释器：GPU 不会说明它访问了什么</translation>
    </message>
    <message>
        <source>{direction}, {mode}: {reason}</source>
        <translation>{direction}，{mode}：{reason}</translation>
    </message>
    <message>
        <source>experiment</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>take {devices}</source>
        <translation>请取 {devices}</translation>
    </message>
    <message>
        <source>sweep</source>
        <translation>参数扫描</translation>
    </message>
    <message>
        <source>trace</source>
        <translation>追踪</translation>
    </message>
    <message>
        <source>Another process was on the GPU: times may include their work.</source>
        <translation>GPU 上还有另一个进程：时间可能包含它的工作。</translation>
    </message>
    <message>
        <source>ceiling</source>
        <translation>上限</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>cold L2</source>
        <translation>冷 L2</translation>
    </message>
    <message>
        <source>warm L2</source>
        <translation>热 L2</translation>
    </message>
    <message>
        <source>autograd</source>
        <translation>autograd</translation>
    </message>
    <message>
        <source>The GPU&apos;s clock fell by {share} % while it was timed, from {first} to {last} MHz: later turns ran slower.</source>
        <translation>计时期间 GPU 时钟下降了 {share} %，从 {first} 降到 {last} MHz：后面的轮次更慢。</translation>
    </message>
    <message>
        <source>Something held the GPU&apos;s clocks down: {reasons}.</source>
        <translation>GPU 时钟受到限制：{reasons}。</translation>
    </message>
    <message>
        <source>The power cap held the GPU&apos;s clocks down for {ms:.0f} ms while it was timed.</source>
        <translation>计时期间功率上限使 GPU 时钟受限 {ms:.0f} ms。</translation>
    </message>
    <message>
        <source>Heat held the GPU&apos;s clocks down for {ms:.0f} ms while it was timed.</source>
        <translation>计时期间温度使 GPU 时钟受限 {ms:.0f} ms。</translation>
    </message>
    <message>
        <source>{count} other processes were on the GPU: times may include their work.</source>
        <translation>GPU 上还有另外 {count} 个进程：时间可能包含它们的工作。</translation>
    </message>
    <message>
        <source>, </source>
        <translation>、</translation>
    </message>
    <message>
        <source>take at least {least}: beyond {rows} rows a buffer, sums in {dtype} are not exact</source>
        <translation>至少取 {least}：一个缓冲区超过 {rows} 行时，{dtype} 的和不再精确</translation>
    </message>
    <message>
        <source>choose locked; the experiment chooses others by itself</source>
        <translation>请选 locked；实验会自行选用其他策略</translation>
    </message>
    <message>
        <source>The interpreter runs programs one after another: no row waits, and times mean nothing.</source>
        <translation>解释器逐个运行程序实例：没有哪一行等待，时间没有意义。</translation>
    </message>
    <message>
        <source>Its traced kernel gave other results than the plain one, so there are no lanes of it.</source>
        <translation>其追踪的内核与普通内核的结果不同，因此没有它的泳道。</translation>
    </message>
    <message>
        <source>GROUP_SIZE_M from 1 to 512</source>
        <translation>GROUP_SIZE_M 从 1 到 512</translation>
    </message>
    <message>
        <source>The barrier, left out and put back</source>
        <translation>屏障：去掉与恢复</translation>
    </message>
    <message>
        <source>The order of additions</source>
        <translation>相加的顺序</translation>
    </message>
    <message>
        <source>What replaces locks</source>
        <translation>用什么代替锁</translation>
    </message>
    <message>
        <source>What do more buffers buy, and what do they cost?</source>
        <translation>更多的缓冲区换来什么，又要付出什么？</translation>
    </message>
    <message>
        <source>What happens when a lock is given back before all threads have stored?</source>
        <translation>如果所有线程写完之前就释放锁，会怎样？</translation>
    </message>
    <message>
        <source>How far apart are runs of one input, from the order of additions alone?</source>
        <translation>同一输入的各次运行，仅因相加顺序不同会相差多少？</translation>
    </message>
    <message>
        <source>What do strategies without locks do better?</source>
        <translation>没有锁的策略好在哪里？</translation>
    </message>
    <message>
        <source>Recording these lanes changes the time of the pass by: {costs}. They show one pass with the L2 cache warm; the bars are of plain passes with it cold.</source>
        <translation>追踪这些泳道使整个反向传播的时间变化：{costs}。泳道显示 L2 缓存已热时的一次反向传播；柱形是缓存为冷时不追踪的各次。</translation>
    </message>
    <message>
        <source>The first wrong elements, in run {run} and later: {named}. Each row adds 1 or −1, so ±1 is one row.</source>
        <translation>最先出错的元素（从第 {run} 次运行起）：{named}。每行加 1 或 −1，所以 ±1 就是一行。</translation>
    </message>
    <message>
        <source>Buffers in {dtype} are off by up to {same} in dw (GROUP_SIZE_M = {at}), those in float32 by {float32} at most.</source>
        <translation>{dtype} 缓冲区的 dw 误差最大为 {same}（GROUP_SIZE_M = {at}），float32 缓冲区最大为 {float32}。</translation>
    </message>
    <message>
        <source>On the interpreter rows come in the order of their numbers, so all runs agree; a GPU chooses the order anew each time.</source>
        <translation>在解释器上各行按编号顺序到来，所以每次运行都一致；GPU 每次的顺序都不同。</translation>
    </message>
    <message>
        <source>Of {runs} runs of one input, dw differs by up to {same} with buffers in {dtype}, and by {float32} with float32.</source>
        <translation>同一输入运行 {runs} 次，{dtype} 缓冲区的 dw 最多相差 {same}，float32 缓冲区最多相差 {float32}。</translation>
    </message>
    <message>
        <source>{names} gave other bits in some of {runs} runs.</source>
        <translation>{names} 的 {runs} 次运行中有的结果不同。</translation>
    </message>
    <message>
        <source>{name}: {reason}</source>
        <translation>{name}：{reason}</translation>
    </message>
    <message>
        <source>With float32 buffers the error is the same for every GROUP_SIZE_M: it is that of rounding dw itself to {dtype}.</source>
        <translation>用 float32 缓冲区时，误差与 GROUP_SIZE_M 无关：它是把 dw 本身舍入到 {dtype} 的误差。</translation>
    </message>
    <message>
        <source>On the interpreter the fault cannot show: a program ends before the next one begins.</source>
        <translation>在解释器上看不到这个错误：一个程序实例结束后，下一个才开始。</translation>
    </message>
    <message>
        <source>Strategy {strategy} gave {distinct} different results.</source>
        <translation>策略 {strategy} 给出了 {distinct} 种不同的结果。</translation>
    </message>
    <message>
        <source>Strategy {strategy} gave the same bits every time.</source>
        <translation>策略 {strategy} 每次都逐位相同。</translation>
    </message>
    <message>
        <source>{names} gave the same bits in all {runs} runs.</source>
        <translation>{names} 的 {runs} 次运行逐位相同。</translation>
    </message>
    <message>
        <source>write {verdicts} alone</source>
        <translation>请单独写 {verdicts}</translation>
    </message>
    <message>
        <source>take a number, or per cent as 40%</source>
        <translation>请取一个数，或百分数，如 40%</translation>
    </message>
    <message>
        <source>compare it with = or !=</source>
        <translation>请用 = 或 != 比较</translation>
    </message>
    <message>
        <source>take a word, one with blanks in double quotes</source>
        <translation>请取一个词语，含空格的用双引号括起</translation>
    </message>
    <message>
        <source>take a day as YYYY-MM-DD</source>
        <translation>请取日期，格式为 YYYY-MM-DD</translation>
    </message>
    <message>
        <source>{field} {sign} {value} is not possible: {allowed}</source>
        <translation>{field} {sign} {value} 不可用：{allowed}</translation>
    </message>
    <message>
        <source>give a setting or a provider</source>
        <translation>请给出一个设置或一个实现</translation>
    </message>
    <message>
        <source>take a whole number, at least 1</source>
        <translation>请取不小于 1 的整数</translation>
    </message>
    <message>
        <source>give the shape that the providers are timed on</source>
        <translation>请给出各实现计时所用的形状</translation>
    </message>
    <message>
        <source>preparing {name}</source>
        <translation>准备 {name}</translation>
    </message>
    <message>
        <source>{reason}: {hint}</source>
        <translation>{reason}：{hint}</translation>
    </message>
    <message>
        <source>take the name of a provider, such as torch; copy and add are the ceilings</source>
        <translation>请取一个实现的名称，例如 torch；copy 和 add 是上限</translation>
    </message>
    <message>
        <source>choose at most {most}</source>
        <translation>最多选择 {most} 个</translation>
    </message>
    <message>
        <source>take a value, a list A,B,C, a range START:STOP:STEP with its STOP, or START:STOP:xFACTOR</source>
        <translation>请取一个值、列表 A,B,C、包含 STOP 的范围 START:STOP:STEP，或 START:STOP:x倍数</translation>
    </message>
    <message>
        <source>name at most {most} values</source>
        <translation>最多给出 {most} 个值</translation>
    </message>
    <message>
        <source>take a name, or names by comma</source>
        <translation>请给出一个名称，或用逗号分隔的多个名称</translation>
    </message>
    <message>
        <source>START is at most STOP: {range} counts upwards</source>
        <translation>START 不大于 STOP：{range} 是向上数的</translation>
    </message>
    <message>
        <source>STEP is at least 1</source>
        <translation>STEP 至少为 1</translation>
    </message>
    <message>
        <source>where STEP multiplies, START is at least 1 and the factor at least 2</source>
        <translation>STEP 为倍数时，START 至少为 1，倍数至少为 2</translation>
    </message>
    <message>
        <source>{allowed}, or both by comma</source>
        <translation>{allowed}，或用逗号分隔两者</translation>
    </message>
    <message>
        <source>{allowed}, or numbers by comma</source>
        <translation>{allowed}，或用逗号分隔的多个数</translation>
    </message>
    <message>
        <source>with N = {n} a run takes {needed}, and {free} are free</source>
        <translation>N = {n} 时一次运行需要 {needed}，可用 {free}</translation>
    </message>
    <message>
        <source>right</source>
        <translation>正确</translation>
    </message>
    <message>
        <source>wrong</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>被拒绝</translation>
    </message>
    <message>
        <source>no room</source>
        <translation>资源不足</translation>
    </message>
    <message>
        <source>too long</source>
        <translation>超时</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>forward and backward</source>
        <translation>前向和反向</translation>
    </message>
    <message>
        <source>{settings}: {counts}.</source>
        <translation>{settings}：{counts}。</translation>
    </message>
    <message>
        <source>surely faster than {other}, by {low} to {high} %</source>
        <translation>确定比 {other} 快 {low} 到 {high} %</translation>
    </message>
    <message>
        <source>Of {count} problems, {parts}.</source>
        <translation>共 {count} 个问题：{parts}。</translation>
    </message>
    <message>
        <source>{count} {status}</source>
        <translation>{status} {count}</translation>
    </message>
    <message>
        <source>1 setting</source>
        <translation>1 个设置</translation>
    </message>
    <message>
        <source>{count} settings</source>
        <translation>{count} 个设置</translation>
    </message>
    <message>
        <source>{passes} ({way})</source>
        <translation>{passes}（{way}）</translation>
    </message>
    <message>
        <source>Best {what}, {problem}: {setting}, {time}; {advantage}.</source>
        <translation>{what}最佳，{problem}：{setting}，{time}；{advantage}。</translation>
    </message>
    <message>
        <source>nothing else was right there</source>
        <translation>那里没有其他正确的结果</translation>
    </message>
    <message>
        <source>fewer than {least} times say nothing about how far {other} is</source>
        <translation>计时少于 {least} 次，无法说明与 {other} 的差距</translation>
    </message>
    <message>
        <source>within noise {place}</source>
        <translation>噪声之内 {place}</translation>
    </message>
    <message>
        <source>{name} is surely the fastest at {count}</source>
        <translation>{name} 在 {count} 个问题上确定最快</translation>
    </message>
    <message>
        <source>{what}: {finding}</source>
        <translation>{what}：{finding}</translation>
    </message>
    <message>
        <source>Best {what}, {hardware}, along {axis}: {runs}.</source>
        <translation>{what}最佳，{hardware}，沿 {axis}：{runs}。</translation>
    </message>
    <message>
        <source>Best along {axis}: {runs}.</source>
        <translation>沿 {axis} 的最佳：{runs}。</translation>
    </message>
    <message>
        <source>Best: {setting}, {time}; {advantage}.</source>
        <translation>最佳：{setting}，{time}；{advantage}。</translation>
    </message>
    <message>
        <source>{sentence} (rows like this: {count} of {total})</source>
        <translation>{sentence}（{total} 行中有 {count} 行类似）</translation>
    </message>
    <message>
        <source>The heuristics of locked change: {changes}.</source>
        <translation>locked 的启发式规则有变化：{changes}。</translation>
    </message>
    <message>
        <source>{what}: {finding}.</source>
        <translation>{what}：{finding}。</translation>
    </message>
    <message>
        <source>at {count} the first two are within noise</source>
        <translation>在 {count} 个问题上，前两名之差在噪声之内</translation>
    </message>
    <message>
        <source>The notes of the rows have other doubts, too.</source>
        <translation>各行的备注中还有其他疑点。</translation>
    </message>
    <message>
        <source>{hardware}: {finding}</source>
        <translation>{hardware}：{finding}</translation>
    </message>
    <message>
        <source>vary parameters of a run, each once; strategies stand side by side anyway</source>
        <translation>请让运行的参数变化，每个一次；各策略本来就并列</translation>
    </message>
    <message>
        <source>take at least one</source>
        <translation>请至少取一个</translation>
    </message>
    <message>
        <source>take one value: a search is for one problem, and chooses launch settings</source>
        <translation>请取一个值：搜索针对一个问题，选择的是启动设置</translation>
    </message>
    <message>
        <source>take at least one of {choices}, or a provider</source>
        <translation>请至少取 {choices} 之一，或一个实现</translation>
    </message>
    <message>
        <source>try at most {most} at once</source>
        <translation>一次最多尝试 {most} 个</translation>
    </message>
    <message>
        <source>vary at most {most} parameters at once</source>
        <translation>一次最多让 {most} 个参数变化</translation>
    </message>
    <message>
        <source>take one: a search chooses the settings of one strategy</source>
        <translation>请取一个：搜索为一个策略选择设置</translation>
    </message>
    <message>
        <source>take none: a search has no providers beside it</source>
        <translation>请不要取：搜索旁边没有别的实现</translation>
    </message>
    <message>
        <source>row</source>
        <translation>行</translation>
    </message>
    <message>
        <source>tile</source>
        <translation>分块</translation>
    </message>
    <message>
        <source>piece</source>
        <translation>块</translation>
    </message>
    <message>
        <source>program</source>
        <translation>程序实例</translation>
    </message>
    <message>
        <source>{name} has shape {shape}, not {right}</source>
        <translation>{name} 的形状是 {shape}，而不是 {right}</translation>
    </message>
    <message>
        <source>the last row has given its lock back</source>
        <translation>最后一行释放锁</translation>
    </message>
    <message>
        <source>the last sums are in memory</source>
        <translation>最后的和写入显存</translation>
    </message>
    <message>
        <source>kernels alone, cold L2</source>
        <translation>仅内核，冷 L2</translation>
    </message>
    <message>
        <source>kernels alone, warm L2</source>
        <translation>仅内核，热 L2</translation>
    </message>
    <message>
        <source>through autograd, cold L2</source>
        <translation>经由 autograd，冷 L2</translation>
    </message>
    <message>
        <source>The worker process cannot be started: {error}.</source>
        <translation>无法启动工作进程：{error}。</translation>
    </message>
    <message>
        <source>The worker ended with exit status {status} {when}.</source>
        <translation>工作进程在{when}以状态码 {status} 退出。</translation>
    </message>
    <message>
        <source>The worker was lost {when}.</source>
        <translation>工作进程在{when}失去联系。</translation>
    </message>
    <message>
        <source>The worker ended with exit status {status} {when}: {error}</source>
        <translation>工作进程在{when}以状态码 {status} 退出：{error}</translation>
    </message>
    <message>
        <source>The worker did not answer for {seconds} {when}, and was ended.</source>
        <translation>工作进程{when} {seconds} 没有响应，已被结束。</translation>
    </message>
    <message>
        <source>The worker sent a message that cannot be read {when}: {error}.</source>
        <translation>工作进程{when}发来一条无法读取的消息：{error}。</translation>
    </message>
    <message>
        <source>The worker closed its connection {when}.</source>
        <translation>工作进程{when}关闭了连接。</translation>
    </message>
    <message>
        <source>The worker did not stop within {seconds}, and was ended.</source>
        <translation>工作进程未在 {seconds} 内停止，已被结束。</translation>
    </message>
    <message>
        <source>The worker was killed (SIGKILL), perhaps because memory ran out, {when}.</source>
        <translation>工作进程在{when}被强行终止（SIGKILL），可能是因为内存耗尽。</translation>
    </message>
    <message>
        <source>The worker was ended by {signal} {when}.</source>
        <translation>工作进程{when}被 {signal} 结束。</translation>
    </message>
    <message>
        <source>signal {number}</source>
        <translation>信号 {number}</translation>
    </message>
    <message>
        <source>The search ends: of the last {count} settings none was surely faster than the best before.</source>
        <translation>搜索结束：最近 {count} 个设置中，没有一个确实比之前最好的更快。</translation>
    </message>
    <message>
        <source>share of ceiling</source>
        <translation>占上限</translation>
    </message>
    <message>
        <source>largest error</source>
        <translation>最大误差</translation>
    </message>
    <message>
        <source>registers a thread</source>
        <translation>每线程寄存器</translation>
    </message>
    <message>
        <source>occupancy</source>
        <translation>占用率</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>来源</translation>
    </message>
    <message>
        <source>note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>When the run ended, in local time</source>
        <translation>运行结束的时间（本地时间）</translation>
    </message>
    <message>
        <source>Where the figures come from</source>
        <translation>数字从何而来</translation>
    </message>
    <message>
        <source>verdict</source>
        <translation>判定</translation>
    </message>
    <message>
        <source>Rows of x</source>
        <translation>x 的行数</translation>
    </message>
    <message>
        <source>Columns of x</source>
        <translation>x 的列数</translation>
    </message>
    <message>
        <source>Element type of x</source>
        <translation>x 的元素类型</translation>
    </message>
    <message>
        <source>strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>How the rows&apos; contributions to dw and db were summed</source>
        <translation>各行对 dw 和 db 的贡献如何求和</translation>
    </message>
    <message>
        <source>forward GB/s</source>
        <translation>前向 GB/s</translation>
    </message>
    <message>
        <source>backward GB/s</source>
        <translation>反向 GB/s</translation>
    </message>
    <message>
        <source>Your own words about the run; F2 or a double click writes them</source>
        <translation>您自己对这次运行的说明；按 F2 或双击即可填写</translation>
    </message>
    <message>
        <source>What the kernels ran on</source>
        <translation>内核在什么上运行</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>asked</source>
        <translation>所问</translation>
    </message>
    <message>
        <source>shape</source>
        <translation>形状</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Nsight Compute (ncu) is not on the path: install it, or add its folder to PATH</source>
        <translation>路径上找不到 Nsight Compute (ncu)：请安装它，或把它的文件夹加入 PATH</translation>
    </message>
    <message>
        <source>this user may not read the GPU&apos;s counters: an administrator allows it with the option NVreg_RestrictProfilingToAdminUsers=0 of the module nvidia, or runs this as root</source>
        <translation>此用户不可读取 GPU 的计数器：请管理员为模块 nvidia 设置选项 NVreg_RestrictProfilingToAdminUsers=0，或以 root 身份运行</translation>
    </message>
    <message>
        <source>ncu ended with status {status}: {why}</source>
        <translation>ncu 以状态码 {status} 结束：{why}</translation>
    </message>
    <message>
        <source>the order of what is in shared memory</source>
        <translation>共享内存中内容的先后次序</translation>
    </message>
    <message>
        <source>a sum over the warps</source>
        <translation>跨 warp 的求和</translation>
    </message>
    <message>
        <source>elements change threads</source>
        <translation>元素在线程之间换位</translation>
    </message>
    <message>
        <source>rows on their way from memory</source>
        <translation>从显存取来途中的行</translation>
    </message>
    <message>
        <source>the result of an atomic reaches all threads</source>
        <translation>原子操作的结果送达所有线程</translation>
    </message>
    <message>
        <source>a barrier of the source</source>
        <translation>源码中的屏障</translation>
    </message>
    <message>
        <source>take letters, digits, _ . and -, at most 60</source>
        <translation>请用字母、数字、_ . 和 -，最多 60 个字符</translation>
    </message>
    <message>
        <source>take a dict of at most {most} lists, such as {{&quot;BLOCK&quot;: [512, 1024]}}</source>
        <translation>请取至多 {most} 个列表组成的字典，例如 {{&quot;BLOCK&quot;: [512, 1024]}}</translation>
    </message>
    <message>
        <source>{function} is no name of a function: take my_norm.py:function</source>
        <translation>{function} 不是函数名：请写成 my_norm.py:function</translation>
    </message>
    <message>
        <source>{path} has no function {function}</source>
        <translation>{path} 中没有函数 {function}</translation>
    </message>
    <message>
        <source>{path}: SETTINGS has more than {most} combinations</source>
        <translation>{path}：SETTINGS 的组合超过 {most} 种</translation>
    </message>
    <message>
        <source>{path}: names and values in SETTINGS are too long to tell apart</source>
        <translation>{path}：SETTINGS 中的名称和值太长，无法区分</translation>
    </message>
    <message>
        <source>give a name a list of whole numbers of 64 bits, finite numbers, True, False, texts of at most {most} characters</source>
        <translation>请给每个名称一个列表，其中可有 64 位整数、有限的数、True、False、最多 {most} 个字符的文本</translation>
    </message>
    <message>
        <source>{given} is neither FILE.py, FILE.py:function nor package.module:function</source>
        <translation>{given} 既不是 FILE.py、FILE.py:function，也不是 package.module:function</translation>
    </message>
    <message>
        <source>{given} is no path here: name the whole path, in UTF-8</source>
        <translation>{given} 在这里不是路径：请给出完整路径，用 UTF-8</translation>
    </message>
    <message>
        <source>{path} is larger than {most} bytes</source>
        <translation>{path} 大于 {most} 字节</translation>
    </message>
    <message>
        <source>{path} cannot be read: {why}</source>
        <translation>无法读取 {path}：{why}</translation>
    </message>
    <message>
        <source>{path}, line {line}: {why}</source>
        <translation>{path} 第 {line} 行：{why}</translation>
    </message>
    <message>
        <source>{path} is no Python: {why}</source>
        <translation>{path} 不是 Python 代码：{why}</translation>
    </message>
    <message>
        <source>{entry} takes a name that belongs to another one</source>
        <translation>{entry} 占用了已属于别人的名称</translation>
    </message>
    <message>
        <source>there is no file {path}</source>
        <translation>没有文件 {path}</translation>
    </message>
    <message>
        <source>{name} gives {type} in place of a tensor</source>
        <translation>{name} 返回 {type}，应为一个张量</translation>
    </message>
    <message>
        <source>{name} gives {type} in place of three tensors, {wanted}</source>
        <translation>{name} 返回 {type}，应为三个张量 {wanted}</translation>
    </message>
    <message>
        <source>{path} was saved anew meanwhile: run it again</source>
        <translation>{path} 在此期间又被保存：请重新运行</translation>
    </message>
    <message>
        <source>{path} is no Python</source>
        <translation>{path} 不是 Python 代码</translation>
    </message>
    <message>
        <source>{file}, line {line}: {why}</source>
        <translation>{file} 第 {line} 行：{why}</translation>
    </message>
    <message>
        <source>{file}: {why}</source>
        <translation>{file}：{why}</translation>
    </message>
    <message>
        <source>{name} is wrong in {count:,} of its elements, at worst by {ratio:,g} times what is allowed</source>
        <translation>{name} 有 {count:,} 个元素错误，最大为允许误差的 {ratio:,g} 倍</translation>
    </message>
    <message>
        <source>it writes to {names}, which it is given to read</source>
        <translation>它写入了 {names}，而这些张量只供它读取</translation>
    </message>
    <message>
        <source>{name} is {dtype} in place of {expected}</source>
        <translation>{name} 的类型是 {dtype}，应为 {expected}</translation>
    </message>
    <message>
        <source>nothing</source>
        <translation>空</translation>
    </message>
    <message>
        <source>other warps at a barrier</source>
        <translation>屏障处的其他 warp</translation>
    </message>
    <message>
        <source>there is no room for what is compiled ({cause}): make room, or set the variable to a folder that can be written</source>
        <translation>没有空间存放编译结果（{cause}）：请腾出空间，或把该变量设为一个可写的文件夹</translation>
    </message>
    <message>
        <source>x of three dimensions</source>
        <translation>三维的 x</translation>
    </message>
    <message>
        <source>rows with a stride</source>
        <translation>带步长的行</translation>
    </message>
    <message>
        <source>x one element behind the beginning of its memory</source>
        <translation>x 比所在内存的起点偏移一个元素</translation>
    </message>
    <message>
        <source>an expanded dy</source>
        <translation>扩展得到的 dy</translation>
    </message>
    <message>
        <source>a transposed dy</source>
        <translation>转置的 dy</translation>
    </message>
    <message>
        <source>no bias</source>
        <translation>没有偏置</translation>
    </message>
    <message>
        <source>neither weight nor bias</source>
        <translation>没有权重和偏置</translation>
    </message>
    <message>
        <source>no rows</source>
        <translation>零行</translation>
    </message>
    <message>
        <source>dw and db are not 0 without rows</source>
        <translation>零行时 dw 和 db 不为 0</translation>
    </message>
    <message>
        <source>weight and bias in float32</source>
        <translation>float32 的权重和偏置</translation>
    </message>
    <message>
        <source>{m:,} rows</source>
        <translation>{m:,} 行</translation>
    </message>
    <message>
        <source>it launched {kernels}</source>
        <translation>它启动了 {kernels}</translation>
    </message>
    <message>
        <source>dresidual is not dx: both are the gradient of x + residual</source>
        <translation>dresidual 与 dx 不同：两者都是 x + residual 的梯度</translation>
    </message>
    <message>
        <source>it launches no kernel of its own: it called torch&apos;s {names}</source>
        <translation>它没有启动自己的内核：它调用了 torch 的 {names}</translation>
    </message>
    <message>
        <source>the GPU ran {kernels}</source>
        <translation>GPU 实际运行了 {kernels}</translation>
    </message>
    <message>
        <source>as {launches}: {wrong}</source>
        <translation>配置 {launches}：{wrong}</translation>
    </message>
    <message>
        <source>it is right for eps = {taken:g}: perhaps it takes that in place of {eps:g}</source>
        <translation>取 eps = {taken:g} 时结果正确：它可能用该值代替了 {eps:g}</translation>
    </message>
    <message>
        <source>{done} of {count} configurations were checked</source>
        <translation>已检查 {count} 个配置中的 {done} 个</translation>
    </message>
    <message>
        <source>it launches no kernel of its own: it is plain PyTorch</source>
        <translation>它没有启动自己的内核：它是纯 PyTorch 代码</translation>
    </message>
    <message>
        <source>the compiler&apos;s own barrier around an atomic</source>
        <translation>编译器自己为原子操作加的屏障</translation>
    </message>
    <message>
        <source>{kernel} is compiled as {configuration}, which its autotuner chose by time in the last run of this shape</source>
        <translation>{kernel} 按 {configuration} 编译，这是其 autotuner 在此形状的上次运行中按时间选出的配置</translation>
    </message>
    <message>
        <source>{kernel} is compiled as {configuration}, the first of its {count} configurations: no run of this text and shape on a GPU has chosen one</source>
        <translation>{kernel} 按 {configuration} 编译，即其 {count} 个配置中的第一个：此文本和形状尚未在 GPU 上运行过，无从选择</translation>
    </message>
    <message>
        <source>{library} has no kernel for {architecture}, and no PTX to make one of</source>
        <translation>{library} 没有用于 {architecture} 的内核，也没有可据以生成内核的 PTX</translation>
    </message>
    <message>
        <source>choose layer_norm or rms_norm: PyTorch adds the residual</source>
        <translation>请选择 layer_norm 或 rms_norm：残差由 PyTorch 相加</translation>
    </message>
    <message>
        <source>persistent where a row&apos;s sums fit a program&apos;s registers, split beyond; the same bits from run to run.</source>
        <translation>一行的和放得进一个程序实例的寄存器时用 persistent，再宽就用 split；每次运行逐位相同。</translation>
    </message>
    <message>
        <source>take at most {most} columns</source>
        <translation>最多取 {most} 列</translation>
    </message>
    <message>
        <source>Every row adds straight to dw and db by atomics, for comparison; the last bits differ from run to run.</source>
        <translation>每行用原子操作直接加到 dw 和 db 上，用于比较；最后几位每次运行都会不同。</translation>
    </message>
    <message>
        <source>Rows add into GROUP_SIZE_M buffers, each behind a spin lock; the last bits of dw and db differ from run to run.</source>
        <translation>各行累加到 GROUP_SIZE_M 个缓冲区，每个缓冲区有一把自旋锁；dw 和 db 的最后几位每次运行都会不同。</translation>
    </message>
    <message>
        <source>A grid that fills the GPU once walks all rows, sums in registers: no locks, the same bits from run to run.</source>
        <translation>恰好占满 GPU 一次的网格走完所有行，和留在寄存器里：没有锁，每次运行逐位相同。</translation>
    </message>
    <message>
        <source>BLOCK_SIZE</source>
        <translation>BLOCK_SIZE</translation>
    </message>
    <message>
        <source>Columns that a program of the forward pass takes per step of its walk along a row.</source>
        <translation>前向程序实例沿一行每步处理的列数。</translation>
    </message>
    <message>
        <source>BLOCK_SIZE_N</source>
        <translation>BLOCK_SIZE_N</translation>
    </message>
    <message>
        <source>Columns that a program of stage 1 holds: its row, or with split its share of the row. With persistent it may hold the row in several such blocks.</source>
        <translation>阶段 1 的一个程序实例持有的列数：它的一整行；split 策略中是它分到的那一段。persistent 策略可以用若干个这样的块持有一行。</translation>
    </message>
    <message>
        <source>num_warps</source>
        <translation>num_warps</translation>
    </message>
    <message>
        <source>Warps of 32 threads that share one program of stage 1, and with locked one of the forward pass.</source>
        <translation>共同执行阶段 1 的一个程序实例的 warp 数，每个 warp 32 个线程；用 locked 时前向的程序实例也是这么多。</translation>
    </message>
    <message>
        <source>num_stages</source>
        <translation>num_stages</translation>
    </message>
    <message>
        <source>Steps of a loop that the compiler may overlap: later loads start while earlier values are used.</source>
        <translation>编译器可以重叠的循环步数：使用前面的值时，后面的加载已经开始。</translation>
    </message>
    <message>
        <source>ROWS</source>
        <translation>ROWS</translation>
    </message>
    <message>
        <source>programs / SM</source>
        <translation>程序实例 / SM</translation>
    </message>
    <message>
        <source>Programs of stage 1 on each SM: more of them hide more of the waiting, and leave more partial sums to stage 2.</source>
        <translation>每个 SM 上阶段 1 的程序实例数：越多越能掩盖等待，但留给阶段 2 的部分和也越多。</translation>
    </message>
    <message>
        <source>sums per row</source>
        <translation>逐行求和</translation>
    </message>
    <message>
        <source>Keep the sums of dw and db apart for each row of a tile until the end, instead of adding them up tile by tile.</source>
        <translation>分块内各行的 dw 与 db 之和一直分开保存，到最后才相加，而不是每个分块相加一次。</translation>
    </message>
    <message>
        <source>invariant</source>
        <translation>不变</translation>
    </message>
    <message>
        <source>SLICES</source>
        <translation>SLICES</translation>
    </message>
    <message>
        <source>Programs of stage 1 that share a row. Each holds its slice of the columns, and they exchange the row&apos;s sums.</source>
        <translation>分担一行的阶段 1 程序实例数。每个程序实例持有其中一段列，并互相交换这一行的和。</translation>
    </message>
    <message>
        <source>forward ROWS</source>
        <translation>前向 ROWS</translation>
    </message>
    <message>
        <source>Rows that a program of the forward pass takes at once. More than one needs a BLOCK_SIZE that covers N.</source>
        <translation>前向的一个程序实例一次处理的行数。多于一行时，BLOCK_SIZE 要覆盖 N。</translation>
    </message>
    <message>
        <source>forward warps</source>
        <translation>前向 warp 数</translation>
    </message>
    <message>
        <source>Warps of 32 threads that share one program of the forward pass.</source>
        <translation>共同执行前向的一个程序实例的 warp 数，每个 warp 32 个线程。</translation>
    </message>
    <message>
        <source>forward held</source>
        <translation>前向整行保留</translation>
    </message>
    <message>
        <source>Where BLOCK_SIZE is less than N: keep the whole row in registers, block by block, so that x is read only once.</source>
        <translation>BLOCK_SIZE 小于 N 时：把整行逐块留在寄存器中，x 只需读取一次。</translation>
    </message>
    <message>
        <source>forward / SM</source>
        <translation>前向程序实例 / SM</translation>
    </message>
    <message>
        <source>Programs of the forward pass on each SM, which take tile after tile of rows. 0: one program for each tile.</source>
        <translation>每个 SM 上前向的程序实例数，它们一个接一个地处理各行组成的分块。0：每个分块一个程序实例。</translation>
    </message>
    <message>
        <source>forward stages</source>
        <translation>前向 stages</translation>
    </message>
    <message>
        <source>Tiles in flight in a program of the forward pass that takes several; with one program for each tile it is 1.</source>
        <translation>前向的一个程序实例处理多个分块时的在途分块数；每个分块一个程序实例时为 1。</translation>
    </message>
    <message>
        <source>GROUP_SIZE_M</source>
        <translation>GROUP_SIZE_M</translation>
    </message>
    <message>
        <source>Number of partial sum buffers. Row r adds to buffer r mod GROUP_SIZE_M: fewer buffers, more waiting for locks.</source>
        <translation>部分和缓冲区的个数。第 r 行累加到第 r mod GROUP_SIZE_M 个缓冲区：缓冲区越少，等锁越多。</translation>
    </message>
    <message>
        <source>partial sums</source>
        <translation>部分和</translation>
    </message>
    <message>
        <source>Element type of the partial sum buffers. The tutorial uses the type of x, which rounds at every addition.</source>
        <translation>部分和缓冲区的元素类型。教程用 x 的类型，每次累加都会舍入。</translation>
    </message>
    <message>
        <source>barrier</source>
        <translation>屏障</translation>
    </message>
    <message>
        <source>Wait for the stores of all threads before the lock is released. Without it sums can be wrong, now and then.</source>
        <translation>释放锁之前等待所有线程写完。没有它，和偶尔会出错。</translation>
    </message>
    <message>
        <source>atomic count</source>
        <translation>原子计数</translation>
    </message>
    <message>
        <source>Read and raise a lock&apos;s count of rows in one atomic operation, whose result reaches all threads through barriers. Off: a plain load, and a store after the sums.</source>
        <translation>用一次原子操作读取并增加锁的行计数，结果经由屏障传给所有线程。关闭时：一次普通读取，并在写入各个和之后再写入计数。</translation>
    </message>
    <message>
        <source>BLOCK_SIZE_M</source>
        <translation>BLOCK_SIZE_M</translation>
    </message>
    <message>
        <source>Partial sums, or buffers of them, that a program of stage 2 adds per step.</source>
        <translation>阶段 2 的一个程序实例每步累加的部分和（或缓冲区）个数。</translation>
    </message>
    <message>
        <source>Columns of dw and db that a program of stage 2 sums.</source>
        <translation>阶段 2 的一个程序实例求和的 dw 和 db 的列数。</translation>
    </message>
    <message>
        <source>Warps of 32 threads that share one program of stage 2.</source>
        <translation>共同执行阶段 2 的一个程序实例的 warp 数，每个 warp 32 个线程。</translation>
    </message>
    <message>
        <source>For wide rows: several programs share a row and exchange its sums; no locks, the same bits from run to run.</source>
        <translation>用于很宽的行：几个程序实例分担一行，并交换这一行的和；没有锁，每次运行逐位相同。</translation>
    </message>
    <message>
        <source>{name} gives {type} in place of y and x + residual</source>
        <translation>{name} 返回 {type}，而不是 y 和 x + residual</translation>
    </message>
    <message>
        <source>{place} has no {function}: write one, or name a function as {file}:NAME, of {names}</source>
        <translation>{place} 中没有 {function}：请编写一个，或用 {file}:NAME 指定 {names} 中的一个</translation>
    </message>
    <message>
        <source>{file}, line {line} was left out while the file was loaded: {why}</source>
        <translation>{file} 第 {line} 行在加载文件时被略过：{why}</translation>
    </message>
    <message>
        <source>it launches {kernel}</source>
        <translation>它会启动内核 {kernel}</translation>
    </message>
    <message>
        <source>a memory fence</source>
        <translation>内存栅栏</translation>
    </message>
    <message>
        <source>the result before</source>
        <translation>前面的结果</translation>
    </message>
    <message>
        <source>another warp&apos;s turn</source>
        <translation>轮到别的 warp</translation>
    </message>
    <message>
        <source>nothing: it was issued</source>
        <translation>没有等待：已发射</translation>
    </message>
    <message>
        <source>where a branch leads</source>
        <translation>分支走向何处</translation>
    </message>
    <message>
        <source>its stores to leave</source>
        <translation>写入离开</translation>
    </message>
    <message>
        <source>the end of its sleep</source>
        <translation>休眠结束</translation>
    </message>
    <message>
        <source>what L1, L2 or memory brings</source>
        <translation>L1、L2 或显存送来的数据</translation>
    </message>
    <message>
        <source>shared memory or a slow unit</source>
        <translation>共享内存或慢速单元</translation>
    </message>
    <message>
        <source>room for loads and stores</source>
        <translation>读写队列的空位</translation>
    </message>
    <message>
        <source>room for accesses to shared memory</source>
        <translation>共享内存访问队列的空位</translation>
    </message>
    <message>
        <source>a busy arithmetic unit</source>
        <translation>繁忙的运算单元</translation>
    </message>
    <message>
        <source>its next instruction</source>
        <translation>下一条指令</translation>
    </message>
    <message>
        <source>constants</source>
        <translation>常量</translation>
    </message>
    <message>
        <source>the dispatcher</source>
        <translation>分发器</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>interpreted</source>
        <translation>解释执行</translation>
    </message>
    <message>
        <source>simulated</source>
        <translation>模拟</translation>
    </message>
    <message>
        <source>recorded</source>
        <translation>实测记录</translation>
    </message>
    <message>
        <source>published</source>
        <translation>公开发表</translation>
    </message>
    <message>
        <source>Measured on a GPU: results and times are real.</source>
        <translation>在 GPU 上测量：结果和时间都是真实的。</translation>
    </message>
    <message>
        <source>Computed by Triton&apos;s interpreter on the CPU: the results are real, times and contention mean nothing.</source>
        <translation>由 Triton 解释器在 CPU 上计算：结果真实，时间和争用没有意义。</translation>
    </message>
    <message>
        <source>From a model of the schedule; its parameters are on view.</source>
        <translation>来自调度模型；其参数可见。</translation>
    </message>
    <message>
        <source>Measured before, on the named GPU and date, and replayed.</source>
        <translation>以前在所示 GPU 和日期测量，现在回放。</translation>
    </message>
    <message>
        <source>A figure from somebody&apos;s documentation.</source>
        <translation>他人文档中的数字。</translation>
    </message>
    <message>
        <source>What is stored while a lock is held must be separated by a barrier of the whole block from the exchange that gives the lock back.</source>
        <translation>持锁期间写入的内容，与释放锁的那次交换之间，必须有一道整个块的屏障。</translation>
    </message>
    <message>
        <source>The rule sees paths of the code, in PTX and in machine code. It sees neither addresses, so every store to global memory counts, also one of the exchanging thread itself, nor whether a path is ever taken, nor loads, nor what other programs do.</source>
        <translation>这条规则看 PTX 和机器码中代码的各条路径。它看不到地址，所以对全局内存的每次写入都算在内，包括执行交换的线程自己的写入；它也看不到一条路径是否真的会走到，看不到读取，看不到其他程序实例做了什么。</translation>
    </message>
    <message>
        <source>{bytes} bytes a thread, {adjacent} adjacent bytes a warp: coalesced</source>
        <translation>每线程 {bytes} 字节，每个 warp {adjacent} 个相邻字节：合并访问</translation>
    </message>
    <message>
        <source>{form}: {barrier} separates every store from {exchange}, which gives the lock back</source>
        <translation>{form}：{barrier} 把每次写入与释放锁的 {exchange} 隔开</translation>
    </message>
    <message>
        <source>no instruction is left of it</source>
        <translation>已没有对应的指令</translation>
    </message>
    <message>
        <source>{bytes} bytes, the same for all threads</source>
        <translation>{bytes} 字节，所有线程相同</translation>
    </message>
    <message>
        <source>{bytes} bytes a thread, {gap} bytes apart: a warp touches {sectors} sectors of 32 bytes, where {least} would do: not coalesced</source>
        <translation>每线程 {bytes} 字节，彼此相隔 {gap} 字节：一个 warp 触及 {sectors} 个 32 字节的扇区，而 {least} 个就够了：不是合并访问</translation>
    </message>
    <message>
        <source>{bytes} bytes a thread, {pieces} rows of {adjacent} adjacent bytes a warp: coalesced</source>
        <translation>每线程 {bytes} 字节，每个 warp {pieces} 行、每行 {adjacent} 个相邻字节：合并访问</translation>
    </message>
    <message>
        <source>{form}: no barrier separates earlier stores from {exchange}, which gives the lock back: {count}, the last {store}</source>
        <translation>{form}：{count} 次写入（最后一次为 {store}）与释放锁的 {exchange} 之间没有屏障</translation>
    </message>
    <message>
        <source>: </source>
        <translation>：</translation>
    </message>
    <message>
        <source>{provider}, hard inputs: {told}</source>
        <translation>{provider}，刁钻输入：{told}</translation>
    </message>
    <message>
        <source>{provider}: not checked on hard inputs</source>
        <translation>{provider}：未用刁钻输入检查</translation>
    </message>
    <message>
        <source>{name}: version {version} of {place}</source>
        <translation>{name}：{place} 的版本 {version}</translation>
    </message>
    <message>
        <source>take interpreter:{name}, which runs on the interpreter and compiles for {name}; by itself only lnexplorer compile takes it</source>
        <translation>请用 interpreter:{name}：它在解释器上运行，并为 {name} 编译；单独的 {name} 只有 lnexplorer compile 接受</translation>
    </message>
    <message>
        <source>The NVIDIA driver does not answer: {error}.</source>
        <translation>NVIDIA 驱动程序没有应答：{error}。</translation>
    </message>
    <message>
        <source>It was updated: restart this machine.</source>
        <translation>它已更新：请重新启动这台机器。</translation>
    </message>
    <message>
        <source>Install driver {least} or newer, or a torch for CUDA {served}.</source>
        <translation>请安装 {least} 或更新的驱动，或安装用于 CUDA {served} 的 torch。</translation>
    </message>
    <message>
        <source>{system} has no Triton, and runs no kernels.</source>
        <translation>{system} 没有 Triton，不能运行内核。</translation>
    </message>
    <message>
        <source>{name} {version} is newer than any that this program was tried with, {tried}.</source>
        <translation>{name} {version} 比本程序试过的任何版本都新（试过的最新为 {tried}）。</translation>
    </message>
    <message>
        <source>Should kernels fail: {command}</source>
        <translation>如果内核失败：{command}</translation>
    </message>
    <message>
        <source>NVIDIA driver {driver} serves CUDA {served} at most: no torch that is supported here can use it.</source>
        <translation>NVIDIA 驱动程序 {driver} 最多支持 CUDA {served}：这里支持的 torch 都不能使用它。</translation>
    </message>
    <message>
        <source>Install driver {least} or newer.</source>
        <translation>请安装 {least} 或更新的驱动程序。</translation>
    </message>
    <message>
        <source>{name} has compute capability {capability}, and torch {version} is built for {least} and above.</source>
        <translation>{name} 的计算能力是 {capability}，而 torch {version} 是为 {least} 及以上构建的。</translation>
    </message>
    <message>
        <source>Install a torch that is built for an older CUDA, or take another GPU.</source>
        <translation>请安装为较旧的 CUDA 构建的 torch，或换用另一个 GPU。</translation>
    </message>
    <message>
        <source>Name another one, or interpreter. A GPU without a driver needs one: sudo apt-get install nvidia-driver</source>
        <translation>请换一个设备，或用 interpreter。没有驱动的 GPU 需要驱动：sudo apt-get install nvidia-driver</translation>
    </message>
    <message>
        <source>a loop there does not end, as no lock is wanted.</source>
        <translation>那里的循环不会结束，因为它没有在等锁。</translation>
    </message>
    <message>
        <source>{where} ({place}): {why}</source>
        <translation>{where}（{place}）：{why}</translation>
    </message>
    <message>
        <source>line {line} of {file}</source>
        <translation>{file} 第 {line} 行</translation>
    </message>
    <message>
        <source>All rows that began have come to their end: why it hangs, no stamp says.</source>
        <translation>已开始的行都到了终点：标记说明不了为什么卡住。</translation>
    </message>
    <message>
        <source>what never comes: why not, no stamp says.</source>
        <translation>永远不会到来的东西：标记说明不了原因。</translation>
    </message>
    <message>
        <source>Rows that want lock {lock} ({place}): {count:,}. Who has it is not known: no row has stamped that it took it.</source>
        <translation>有 {count:,} 行想要锁 {lock}（{place}）。谁持有它不得而知：没有一行留下取得它的标记。</translation>
    </message>
    <message>
        <source>{where}, one of {count:,} that stand there</source>
        <translation>{where}，是停在那里的 {count:,} 行之一</translation>
    </message>
    <message>
        <source>whether that is a loop, or a wait for {absent:,} programs that never began, no stamp says.</source>
        <translation>标记说明不了那是一个循环，还是在等待 {absent:,} 个从未开始的程序实例。</translation>
    </message>
    <message>
        <source>Rows {first:,} and {second:,} hold a lock each and want the other&apos;s ({place}).</source>
        <translation>行 {first:,} 和行 {second:,} 各持有一个锁，又都在等对方的锁（{place}）。</translation>
    </message>
    <message>
        <source>{absent:,} that were never resident.</source>
        <translation>{absent:,} 个从未驻留的程序实例。</translation>
    </message>
    <message>
        <source>{count:,} programs wait ({place}) for {whom}</source>
        <translation>{count:,} 个程序实例在等待（{place}）{whom}</translation>
    </message>
    <message>
        <source>too few times</source>
        <translation>计时次数太少</translation>
    </message>
    <message>
        <source>load</source>
        <translation>读</translation>
    </message>
    <message>
        <source>store</source>
        <translation>写</translation>
    </message>
    <message>
        <source>atomic</source>
        <translation>原子</translation>
    </message>
    <message>
        <source>load of x</source>
        <translation>读取 x</translation>
    </message>
    <message>
        <source>load of dy</source>
        <translation>读取 dy</translation>
    </message>
    <message>
        <source>weight and bias</source>
        <translation>权重与偏置</translation>
    </message>
    <message>
        <source>sums along rows</source>
        <translation>行内求和</translation>
    </message>
    <message>
        <source>mean and rstd</source>
        <translation>均值与 rstd</translation>
    </message>
    <message>
        <source>store of y or dx</source>
        <translation>写入 y 或 dx</translation>
    </message>
    <message>
        <source>sums of dw and db</source>
        <translation>dw 与 db 的求和</translation>
    </message>
    <message>
        <source>other loads and stores</source>
        <translation>其他读写</translation>
    </message>
    <message>
        <source>{programs}, limited by {limit}</source>
        <translation>{programs}，受{limit}限制</translation>
    </message>
    <message>
        <source>{count} registers</source>
        <translation>{count} 个寄存器</translation>
    </message>
    <message>
        <source>{stores} stores, {loads} loads, {barriers} barriers</source>
        <translation>{stores} 次写，{loads} 次读，{barriers} 道屏障</translation>
    </message>
    <message>
        <source>{count} instructions at {place}</source>
        <translation>{place} 处有 {count} 条指令</translation>
    </message>
    <message>
        <source>{action} {elements:,} × {bytes} B</source>
        <translation>{action} {elements:,} × {bytes} B</translation>
    </message>
    <message>
        <source>compiled for</source>
        <translation>编译目标</translation>
    </message>
    <message>
        <source>programs</source>
        <translation>程序实例</translation>
    </message>
    <message>
        <source>warps</source>
        <translation>warp</translation>
    </message>
    <message>
        <source>spilled</source>
        <translation>溢出</translation>
    </message>
    <message>
        <source>programs an SM</source>
        <translation>每 SM 程序实例</translation>
    </message>
    <message>
        <source>warps of an SM</source>
        <translation>占 SM 的 warp</translation>
    </message>
    <message>
        <source>{count} by another assembler</source>
        <translation>{count} 个，由另一汇编器得出</translation>
    </message>
    <message>
        <source>instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>live at most</source>
        <translation>最多活跃</translation>
    </message>
    <message>
        <source>the rest</source>
        <translation>其余</translation>
    </message>
    <message>
        <source>L2</source>
        <translation>L2</translation>
    </message>
    <message>
        <source>{percent:.0f} %, {hits:.0f} % hits</source>
        <translation>{percent:.0f} %，命中 {hits:.0f} %</translation>
    </message>
    <message>
        <source>L1</source>
        <translation>L1</translation>
    </message>
    <message>
        <source>issue slots</source>
        <translation>发射槽</translation>
    </message>
    <message>
        <source>{cycles:.1f} cycles</source>
        <translation>{cycles:.1f} 个周期</translation>
    </message>
    <message>
        <source>Lock</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>Loads and stores</source>
        <translation>读和写</translation>
    </message>
    <message>
        <source>Shared memory and barriers</source>
        <translation>共享内存和屏障</translation>
    </message>
    <message>
        <source>Spilled registers</source>
        <translation>溢出的寄存器</translation>
    </message>
    <message>
        <source>fault</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>name a file of the program&apos;s recordings, or beside the sheet, without folder and suffix</source>
        <translation>请给出本程序实测记录的文件名，或练习旁的文件名，不带文件夹和后缀</translation>
    </message>
    <message>
        <source>a number</source>
        <translation>一个数</translation>
    </message>
    <message>
        <source>a number, or a time such as 12.5 µs</source>
        <translation>一个数，或一个时间，例如 12.5 µs</translation>
    </message>
    <message>
        <source>{figure}: {right}, recorded on {source}.</source>
        <translation>{figure}：{right}，实测于 {source}。</translation>
    </message>
    <message>
        <source>{wrong} of {runs} runs were wrong: {right} runs.</source>
        <translation>{runs} 次运行中有 {wrong} 次出错：需要 {right} 次运行。</translation>
    </message>
    <message>
        <source>{same} against {exact}: {right} times.</source>
        <translation>{same} 对 {exact}：{right} 倍。</translation>
    </message>
    <message>
        <source>Rows of {n} begin at multiples of {bytes} bytes. The backward pass takes {factor} times as long as at {beside} ({gpu}).</source>
        <translation>N = {n} 时各行从 {bytes} 字节的倍数处开始。反向用时是 {beside} 时的 {factor} 倍（{gpu}）。</translation>
    </message>
    <message>
        <source>{strategy}: distinct results in {runs} runs: {distinct}.</source>
        <translation>{strategy}：{runs} 次运行中不同的结果有 {distinct} 种。</translation>
    </message>
    <message>
        <source>the name of a strategy</source>
        <translation>一个策略的名称</translation>
    </message>
    <message>
        <source>{result}[{column}] = {right}: counted.</source>
        <translation>{result}[{column}] = {right}：数出来的。</translation>
    </message>
    <message>
        <source>No run of the history has at least {rows} rows and a lock for each. Run one.</source>
        <translation>历史中没有一次运行至少有 {rows} 行、且每行各有一把锁。请运行一次。</translation>
    </message>
    <message>
        <source>First row of lock 0</source>
        <translation>锁 0 的第一行</translation>
    </message>
    <message>
        <source>Last row to give its lock back</source>
        <translation>最后释放锁的行</translation>
    </message>
    <message>
        <source>Row that waits longest</source>
        <translation>等得最久的行</translation>
    </message>
    <message>
        <source>Line {line} says: {text}</source>
        <translation>第 {line} 行的内容是：{text}</translation>
    </message>
    <message>
        <source>Run {m}×{n} float16 with GROUP_SIZE_M = {group} twice: with buffers in float16 and in float32.</source>
        <translation>请以 {m}×{n} float16、GROUP_SIZE_M = {group} 运行两次：缓冲区分别用 float16 和 float32。</translation>
    </message>
    <message>
        <source>Run {m}×{n} with GROUP_SIZE_M = {group} first.</source>
        <translation>请先以 {m}×{n}、GROUP_SIZE_M = {group} 运行一次。</translation>
    </message>
    <message>
        <source>a sheet begins with title and check between two lines of ---</source>
        <translation>练习以两行 --- 之间的 title 和 check 开头</translation>
    </message>
    <message>
        <source>{check} takes {names}, each once, as in {first}=…</source>
        <translation>{check} 取 {names}，各一次，形如 {first}=…</translation>
    </message>
    <message>
        <source>take a number, such as 12.5, or a time, such as 12.5 µs</source>
        <translation>请取一个数，例如 12.5；或一个时间，例如 12.5 µs</translation>
    </message>
    <message>
        <source>{answer} is too large.</source>
        <translation>{answer} 太大。</translation>
    </message>
    <message>
        <source>{answer} is too small.</source>
        <translation>{answer} 太小。</translation>
    </message>
    <message>
        <source>{m} rows and {locks} locks on {date}.</source>
        <translation>{date}：{m} 行，{locks} 把锁。</translation>
    </message>
    <message>
        <source>name an experiment on group_size that has times</source>
        <translation>请给出一个有时间的 group_size 实验</translation>
    </message>
    <message>
        <source>Line {line}: {text}</source>
        <translation>第 {line} 行：{text}</translation>
    </message>
    <message>
        <source>take the name of a function</source>
        <translation>请给出一个函数名</translation>
    </message>
    <message>
        <source>name an experiment on the barrier in which some runs were wrong</source>
        <translation>请给出一个有出错运行的屏障实验</translation>
    </message>
    <message>
        <source>name a sweep that has n = {n} and n = {beside}</source>
        <translation>请给出一个含 n = {n} 和 n = {beside} 的参数扫描</translation>
    </message>
    <message>
        <source>take at most {most} characters</source>
        <translation>请取最多 {most} 个字符</translation>
    </message>
    <message>
        <source>A seed instead of a mask</source>
        <translation>用种子代替掩码</translation>
    </message>
    <message>
        <source>What does it save to compute dropout&apos;s mask again instead of storing it?</source>
        <translation>重新计算 dropout 的掩码而不保存它，能省下什么？</translation>
    </message>
    <message>
        <source>No mask is kept: that saves {bytes}.</source>
        <translation>不保存掩码：省下 {bytes}。</translation>
    </message>
    <message>
        <source>{zeros:,} of {elements:,} elements are 0, {share} with p = {p}; by chance it would be {fewest:,} to {most:,} (99.9 %).</source>
        <translation>{elements:,} 个元素中有 {zeros:,} 个为 0，占 {share}，p = {p}；纯属偶然时应为 {fewest:,} 到 {most:,} 个（99.9 %）。</translation>
    </message>
    <message>
        <source>The masks of the next {count} seeds correlate with it by {largest} at most, by chance below {bound} (99.9 %).</source>
        <translation>后续 {count} 个种子的掩码与它的相关系数最大为 {largest}，偶然时低于 {bound}（99.9 %）。</translation>
    </message>
    <message>
        <source>With one buffer a row queues for {queued_one} µs and tries its free lock for {trying_one} µs; with {best} buffers {queued_best} µs and {trying_best} µs.</source>
        <translation>只有一个缓冲区时，每行排队 {queued_one} µs，尝试取空闲的锁 {trying_one} µs；{best} 个缓冲区时为 {queued_best} µs 和 {trying_best} µs。</translation>
    </message>
    <message>
        <source>Programs of {small} and of {large} elements and the fused kernel made the same mask, bit for bit.</source>
        <translation>每个程序实例 {small} 个元素、{large} 个元素以及融合的内核，得到的掩码逐位相同。</translation>
    </message>
    <message>
        <source>Programs of {small} and of {large} elements, or the fused kernel, made other masks.</source>
        <translation>每个程序实例 {small} 个元素、{large} 个元素或融合的内核，得到了不同的掩码。</translation>
    </message>
    <message>
        <source>Dropout with its mask from a seed: {forward} PyTorch&apos;s speed forward, {backward} backward.</source>
        <translation>掩码由种子得出的 dropout：前向为 PyTorch 速度的 {forward}，反向为 {backward}。</translation>
    </message>
    <message>
        <source>take one value</source>
        <translation>请取一个值</translation>
    </message>
    <message>
        <source>Stage 1: {time}. On average a row queues {queued}, {share} of its time, and tries {trying}.</source>
        <translation>阶段 1：{time}。每行平均排队 {queued}，占其时间的 {share}；尝试取锁 {trying}。</translation>
    </message>
    <message>
        <source>{m} rows, {buffers} buffers: the first {span}</source>
        <translation>{m} 行，{buffers} 个缓冲区：最初的 {span}</translation>
    </message>
    <message>
        <source>After {span}: {added} rows are in, {holding} hold a lock, {trying} try a free one, {queued} queue.</source>
        <translation>{span} 之后：{added} 行已加入，{holding} 行持锁，{trying} 行尝试取空闲的锁，{queued} 行排队。</translation>
    </message>
    <message>
        <source>Tracing cost {share}: the pass took {traced}, and {plain} without it.</source>
        <translation>追踪开销 {share}：追踪时整个反向传播用时 {traced}，不追踪时 {plain}。</translation>
    </message>
    <message>
        <source>Stage 1: the rows of a lock pass one after the other</source>
        <translation>阶段 1：同一把锁的各行一个接一个地通过</translation>
    </message>
    <message>
        <source>{m} / G rows of a lock, {each} each: at most {share} from the recorded times. To compute alone takes {floor}.</source>
        <translation>每把锁 {m} / G 行，每行 {each}。与实测的时间最多相差 {share}，仅计算就要 {floor}。</translation>
    </message>
    <message>
        <source>{hold} to hold, {hand_over} to hand over: the recording with {buffers} buffers.</source>
        <translation>持锁 {hold}，交接 {hand_over}：取自 {buffers} 个缓冲区的实测记录。</translation>
    </message>
    <message>
        <source>No other number was fitted. Both axes are logarithmic. Tracing overhead: {least} to {most}.</source>
        <translation>没有拟合任何别的数。两个坐标轴都是对数的。追踪开销：{least} 至 {most}。</translation>
    </message>
    <message>
        <source>With wide rows the queues end, and buffers only cost</source>
        <translation>行很宽时队列消失，缓冲区只剩下代价</translation>
    </message>
    <message>
        <source>N = {n}: with {best} buffers a row queues for {queued}. The pass takes {time}, and {more} with {most} buffers.</source>
        <translation>N = {n}：{best} 个缓冲区时每行排队 {queued}。整个反向传播用时 {time}；{most} 个缓冲区时 {more}。</translation>
    </message>
    <message>
        <source>stage 1, as recorded</source>
        <translation>阶段 1，实测</translation>
    </message>
    <message>
        <source>max(compute, rows of a lock · (hold + hand-over))</source>
        <translation>max(计算，每把锁的行数 · (持锁 + 交接))</translation>
    </message>
    <message>
        <source>the whole pass</source>
        <translation>整个反向传播</translation>
    </message>
    <message>
        <source>stage 1</source>
        <translation>阶段 1</translation>
    </message>
    <message>
        <source>take one</source>
        <translation>请写一个</translation>
    </message>
    <message>
        <source>stage 2</source>
        <translation>阶段 2</translation>
    </message>
    <message>
        <source>a row in its queue, mean</source>
        <translation>一行的排队时间，平均</translation>
    </message>
    <message>
        <source>buffer {lock}, dw</source>
        <translation>缓冲区 {lock}，dw</translation>
    </message>
    <message>
        <source>No column was ever wrong.</source>
        <translation>没有一列出过错。</translation>
    </message>
    <message>
        <source>Columns before {first} were never wrong. The others are lost with their neighbours.</source>
        <translation>第 {first} 列之前从未出错。其余各列总是与相邻的列一起丢失。</translation>
    </message>
    <message>
        <source>buffer {lock}, dw[{column}]</source>
        <translation>缓冲区 {lock}，dw[{column}]</translation>
    </message>
    <message>
        <source>{runs} runs of one input</source>
        <translation>同一输入的 {runs} 次运行</translation>
    </message>
    <message>
        <source>different results</source>
        <translation>不同的结果</translation>
    </message>
    <message>
        <source>furthest apart in dw</source>
        <translation>dw 的最大相差</translation>
    </message>
    <message>
        <source>{strategy}, buffers in {dtype}</source>
        <translation>{strategy}，{dtype} 缓冲区</translation>
    </message>
    <message>
        <source>Mean of each row, and one over its standard deviation</source>
        <translation>每行的均值，以及标准差的倒数</translation>
    </message>
    <message>
        <source>program {row} loads the buffer</source>
        <translation>程序实例 {row} 读取缓冲区</translation>
    </message>
    <message>
        <source>program {row} adds its row, stores</source>
        <translation>程序实例 {row} 加它的行，写回</translation>
    </message>
    <message>
        <source>program {row} takes the lock, loads</source>
        <translation>程序实例 {row} 取锁，读取</translation>
    </message>
    <message>
        <source>program {row} adds, stores, gives it back</source>
        <translation>程序实例 {row} 加，写回，释放</translation>
    </message>
    <message>
        <source>program {row}, warp 0 stores its columns</source>
        <translation>程序实例 {row} warp 0 写其列</translation>
    </message>
    <message>
        <source>program {row}, warp 0 gives the lock back</source>
        <translation>程序实例 {row} warp 0 释放锁</translation>
    </message>
    <message>
        <source>program {row}, warp 1 stores its columns</source>
        <translation>程序实例 {row} warp 1 写其列</translation>
    </message>
    <message>
        <source>Without the barrier: the lock is given back too early</source>
        <translation>没有屏障：锁释放得太早</translation>
    </message>
    <message>
        <source>A program is many warps, and one thread gives the lock back. Without a barrier it does not wait for the other warps: their columns of row {first} are lost.</source>
        <translation>一个程序实例有许多 warp，释放锁的是一个线程。没有屏障，它就不等其他 warp：第 {first} 行中它们的那些列丢失了。</translation>
    </message>
    <message>
        <source>The barrier makes every warp of the program arrive before the lock is given back.</source>
        <translation>有了屏障，程序实例的所有 warp 都到达之后，锁才被释放。</translation>
    </message>
    <message>
        <source>On a GPU: {m} rows, {buffers} buffers</source>
        <translation>在 GPU 上：{m} 行，{buffers} 个缓冲区</translation>
    </message>
    <message>
        <source>Row {row} held lock 0 at {early}, row {other} at {late}. All asked at {asked}: the order is not determined.</source>
        <translation>第 {row} 行在 {early} 持有锁 0，第 {other} 行在 {late}。它们都在 {asked} 请求锁：先后顺序不确定。</translation>
    </message>
    <message>
        <source>Measured, with rows of {n} columns. By hand row 0 was first; here it was not. Nobody can rely on it.</source>
        <translation>这是实测，行宽 {n} 列。手算时第 0 行最先；这里不是。谁也不能依赖先后顺序。</translation>
    </message>
    <message>
        <source>In how many of {runs} runs each column was wrong</source>
        <translation>{runs} 次运行中，各列出错的次数</translation>
    </message>
    <message>
        <source>Why the last bits differ: another order, other roundings</source>
        <translation>为什么最后几位不同：顺序不同，舍入就不同</translation>
    </message>
    <message>
        <source>The same rows. Every sum is rounded to {dtype}, so the order shows: {apart} apart in the end.</source>
        <translation>同样的行。每个和都舍入到 {dtype}，于是顺序的差别显现出来：最后相差 {apart}。</translation>
    </message>
    <message>
        <source>Addition of rounded numbers is not associative. Neither sum is wrong; both are within the tolerance.</source>
        <translation>舍入后的加法不满足结合律。两个和都没有错；都在容差之内。</translation>
    </message>
    <message>
        <source>So no two runs agree to the last bit</source>
        <translation>所以没有两次运行逐位相同</translation>
    </message>
    <message>
        <source>Every run is right, and no two are equal. It matters to whoever compares runs, or hunts a fault.</source>
        <translation>每次运行都正确，却没有两次相等。对比较各次运行或查找故障的人，这很重要。</translation>
    </message>
    <message>
        <source>{time}: program {row} asks for lock {lock}, which is free. {then}: it holds the lock and raises the count from 0 to 1. It was 0, so it just stores its row.</source>
        <translation>{time}：程序实例 {row} 请求锁 {lock}，锁空闲。{then}：它持有锁，把计数从 0 加到 1。原来是 0，所以直接写入自己的行。</translation>
    </message>
    <message>
        <source>Compare and swap: 0 becomes 1, in one step that nobody can divide. A store, no load: old contents do not matter.</source>
        <translation>比较并交换：0 变成 1，一步完成，谁也打不断。只写不读：原来的内容无关紧要。</translation>
    </message>
    <message>
        <source>From {time} to {then}: programs {waiting} ask for their locks. Programs {holding} hold them, so they queue.</source>
        <translation>从 {time} 到 {then}：程序实例 {waiting} 请求各自的锁。锁由程序实例 {holding} 持有，于是它们排队等待。</translation>
    </message>
    <message>
        <source>{time}: program {other} gives lock {lock} back. {then}: program {row} holds it, raises the count from {count} to {raised}, loads the buffer, adds its row, stores the sum.</source>
        <translation>{time}：程序实例 {other} 释放锁 {lock}。{then}：程序实例 {row} 持有它，把计数从 {count} 加到 {raised}，读取缓冲区，加自己的行，写回和。</translation>
    </message>
    <message>
        <source>{then}: dw = {dw}. The sum over all rows at once gives the same.</source>
        <translation>{then}：dw = {dw}。一次对所有行求和，结果相同。</translation>
    </message>
    <message>
        <source>The lock is there. Now what else it takes, and what even then is not the same twice.</source>
        <translation>锁已经有了。现在看它还需要什么，以及即使如此仍然每次不同的是什么。</translation>
    </message>
    <message>
        <source>Why a lock: two programs add to one buffer</source>
        <translation>为什么要锁：两个程序实例向同一个缓冲区累加</translation>
    </message>
    <message>
        <source>Rows {first} and {second} belong to buffer 0, which holds zeros. Both programs load it before one has stored.</source>
        <translation>第 {first} 行和第 {second} 行属于缓冲区 0，其中是 0。两个程序实例都在对方写入之前读取了它。</translation>
    </message>
    <message>
        <source>One update is lost</source>
        <translation>一次更新丢失了</translation>
    </message>
    <message>
        <source>It should hold {right}, and holds {wrong}. Program {second} has overwritten row {first}.</source>
        <translation>应该是 {right}，实际是 {wrong}。程序实例 {second} 覆盖了第 {first} 行。</translation>
    </message>
    <message>
        <source>Nobody did anything wrong alone, and no error is raised. The sum is just too small by a row.</source>
        <translation>单独看谁都没做错，也没有报错。只是和少了一行。</translation>
    </message>
    <message>
        <source>With a lock, load, add and store stay together</source>
        <translation>有了锁，读、加、写成为一体</translation>
    </message>
    <message>
        <source>Program {second} loads only after program {first} has stored. The buffer holds {right}.</source>
        <translation>程序实例 {second} 等程序实例 {first} 写入之后才读取。缓冲区中是 {right}。</translation>
    </message>
    <message>
        <source>The price: program {second} has to queue. The rest of the lecture is about that price.</source>
        <translation>代价：程序实例 {second} 必须排队。后面讲的都是这个代价。</translation>
    </message>
    <message>
        <source>as it was recorded</source>
        <translation>按实测的顺序</translation>
    </message>
    <message>
        <source>in the rows&apos; order</source>
        <translation>按行的顺序</translation>
    </message>
    <message>
        <source>row {row}: {sum}</source>
        <translation>第 {row} 行：{sum}</translation>
    </message>
    <message>
        <source>sum after {count}</source>
        <translation>{count} 行之后的和</translation>
    </message>
    <message>
        <source>{time}: row {row} gets lock {lock} from another row. The hand-over took {length}.</source>
        <translation>{time}：第 {row} 行从另一行手中得到锁 {lock}。交接用了 {length}。</translation>
    </message>
    <message>
        <source>{time}: {count} rows queue at once, never more.</source>
        <translation>{time}：同时有 {count} 行排队，这是最多的时候。</translation>
    </message>
    <message>
        <source>{m} × {n} {dtype}</source>
        <translation>{m} × {n} {dtype}</translation>
    </message>
    <message>
        <source>A matrix product, row after row</source>
        <translation>矩阵乘法，一行接一行</translation>
    </message>
    <message>
        <source>From Triton&apos;s tutorial on matrix multiplication. Each program computes one block of C from a row of A and a column of B.</source>
        <translation>取自 Triton 的矩阵乘法教程。每个程序实例用 A 的一行和 B 的一列算出 C 的一块。</translation>
    </message>
    <message>
        <source>into G buffers, each behind a lock</source>
        <translation>加到 G 个缓冲区，每个由一把锁保护</translation>
    </message>
    <message>
        <source>few programs, sums in registers</source>
        <translation>程序实例很少，和留在寄存器中</translation>
    </message>
    <message>
        <source>the same, several to a wide row</source>
        <translation>同上，几个分担一个宽行</translation>
    </message>
    <message>
        <source>forward, N = {n}</source>
        <translation>前向，N = {n}</translation>
    </message>
    <message>
        <source>The same programs in groups of {group} rows</source>
        <translation>同样的程序实例，每组 {group} 行</translation>
    </message>
    <message>
        <source>The same work, another order. What was loaded once is still in the cache for the next program.</source>
        <translation>同样的工作，换一种顺序。读入过的内容还在缓存中，下一个程序实例可以接着用。</translation>
    </message>
    <message>
        <source>room in the cache</source>
        <translation>缓存容量</translation>
    </message>
    <message>
        <source>where it adds</source>
        <translation>加到哪里</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>{m} programs, one for each row</source>
        <translation>{m} 个
程序实例，
每行一个</translation>
    </message>
    <message>
        <source>SM</source>
        <translation>SM</translation>
    </message>
    <message>
        <source>{warps} warps share a row of {n} columns</source>
        <translation>{warps} 个 warp
分担 {n} 列
的一行</translation>
    </message>
    <message>
        <source>warp</source>
        <translation>warp</translation>
    </message>
    <message>
        <source>{threads} threads, which go in step</source>
        <translation>{threads} 个线程，锁步执行</translation>
    </message>
    <message>
        <source>thread</source>
        <translation>线程</translation>
    </message>
    <message>
        <source>{columns} columns, {registers} registers</source>
        <translation>{columns} 列，{registers} 个寄存器</translation>
    </message>
    <message>
        <source>Who computes: from the grid to a thread</source>
        <translation>由谁计算：从网格到线程</translation>
    </message>
    <message>
        <source>{sms} · {programs} = {resident} programs at once, as many as the {limit} allow. The rest of the {m} start as others end.</source>
        <translation>同时有 {sms} · {programs} = {resident} 个程序实例，这是{limit}允许的最大数。{m} 个中其余的随着别的结束而开始。</translation>
    </message>
    <message>
        <source>Stage 1 with {n} columns, as it was compiled and recorded. Marked in the grid: the programs that SM {sm} had first. From there on one cell of a square is the next square.</source>
        <translation>{n} 列的阶段 1，按编译和实测的结果。网格中标出的是 SM {sm} 最先有的程序实例。从那里起，一个方块中的一格就是下一个方块。</translation>
    </message>
    <message>
        <source>registers</source>
        <translation>寄存器</translation>
    </message>
    <message>
        <source>{size} an SM</source>
        <translation>每个 SM {size}</translation>
    </message>
    <message>
        <source>shared memory</source>
        <translation>共享内存</translation>
    </message>
    <message>
        <source>L2 cache</source>
        <translation>L2 缓存</translation>
    </message>
    <message>
        <source>memory (HBM)</source>
        <translation>显存 (HBM)</translation>
    </message>
    <message>
        <source>{size} GB</source>
        <translation>{size} GB</translation>
    </message>
    <message>
        <source>Where the numbers are</source>
        <translation>数字放在哪里</translation>
    </message>
    <message>
        <source>Programs on all SMs use locks, counts and buffers, so these are in L2: every try for a lock goes there and back.</source>
        <translation>所有 SM 上的程序实例都要用锁、计数和缓冲区，所以它们在 L2 中：每次尝试取锁都要到那里往返一趟。</translation>
    </message>
    <message>
        <source>{m} × {n} {dtype}; sizes of the {gpu}</source>
        <translation>{m} × {n} {dtype}；大小取自 {gpu}</translation>
    </message>
    <message>
        <source>L2 is a cache of memory: what is in it has a place in memory, too. Compare-and-swap is done in L2 itself.</source>
        <translation>L2 是显存的缓存：其中的内容在显存中也有位置。比较并交换在 L2 中完成。</translation>
    </message>
    <message>
        <source>bytes that have to move</source>
        <translation>必须搬运的字节</translation>
    </message>
    <message>
        <source>requested bytes</source>
        <translation>请求的字节数</translation>
    </message>
    <message>
        <source>time, L2 cold</source>
        <translation>时间，冷 L2</translation>
    </message>
    <message>
        <source>the same bytes, only moved</source>
        <translation>同样的字节，只搬运</translation>
    </message>
    <message>
        <source>share of that ceiling</source>
        <translation>占该上限的比例</translation>
    </message>
    <message>
        <source>Bytes of both passes</source>
        <translation>两个方向的字节数</translation>
    </message>
    <message>
        <source>backward, N = {n}, {buffers} buffers</source>
        <translation>反向，N = {n}，{buffers} 个缓冲区</translation>
    </message>
    <message>
        <source>Both passes below the roofline</source>
        <translation>前向与反向的 Roofline</translation>
    </message>
    <message>
        <source>{intensity} operations a byte: memory sets the limit, at {gbps} GB/s. From {ridge} on it would be arithmetic.</source>
        <translation>每字节 {intensity} 次运算：限制来自显存，速度为 {gbps} GB/s。从 {ridge} 起才受运算限制。</translation>
    </message>
    <message>
        <source>{sms} SMs · {operations} operations · {clock} MHz = {peak} TFLOP/s of float32</source>
        <translation>{sms} 个 SM · {operations} 次运算 · {clock} MHz = {peak} TFLOP/s（float32）</translation>
    </message>
    <message>
        <source>{results} of {all} blocks of C are done. For them {loaded} blocks of A and B were loaded from memory.</source>
        <translation>C 的 {all} 块中完成了 {results} 块。为此从显存读入了 A 和 B 的 {loaded} 块。</translation>
    </message>
    <message>
        <source>{blocks} blocks</source>
        <translation>{blocks} 块</translation>
    </message>
    <message>
        <source>Loads of the whole product, by room and order</source>
        <translation>整个乘法的读取，按容量和顺序</translation>
    </message>
    <message>
        <source>{asked} blocks are asked for. With room for {room}, groups of {group} load {few} from memory instead of {many}; with room for all {all}, the order is all one.</source>
        <translation>共请求 {asked} 块。容量为 {room} 块时，{group} 行一组从显存读取 {few} 块，而不是 {many} 块；能放下全部 {all} 块时，顺序无关紧要。</translation>
    </message>
    <message>
        <source>Counted by a cache that keeps what was used last; programs run one after another. A group has to fit to pay.</source>
        <translation>按 LRU 缓存统计；程序实例逐个运行。一组要放得下才划算。</translation>
    </message>
    <message>
        <source>loads of the backward pass</source>
        <translation>反向的读取</translation>
    </message>
    <message>
        <source>row r in buffer r mod {g}</source>
        <translation>缓冲区 r mod {g}</translation>
    </message>
    <message>
        <source>neighbours in one buffer</source>
        <translation>相邻的行在同一缓冲区</translation>
    </message>
    <message>
        <source>requested</source>
        <translation>请求的</translation>
    </message>
    <message>
        <source>from memory, L2 of {size}</source>
        <translation>来自显存，L2 为 {size}</translation>
    </message>
    <message>
        <source>locks that the first {rows} rows want</source>
        <translation>前 {rows} 行请求的锁</translation>
    </message>
    <message>
        <source>What of it holds for LayerNorm</source>
        <translation>其中哪些适用于 LayerNorm</translation>
    </message>
    <message>
        <source>x and dy are read once, weight and buffers stay in L2: no order helps. It decides how many locks there are to choose from.</source>
        <translation>x 和 dy 只读一次，权重和缓冲区留在 L2 中：改变顺序没有用处。顺序决定有多少把锁可选。</translation>
    </message>
    <message>
        <source>Counted by the same cache. The order that a small cache would like best is the worst one for the queues.</source>
        <translation>由同样的缓存计数。小缓存最喜欢的顺序，对队列却是最差的。</translation>
    </message>
    <message>
        <source>Each program stores its sums once; stage 2 adds them. dw = {dw}, the same as with locks.</source>
        <translation>每个程序实例只写出一次自己的和；阶段 2 把它们相加。dw = {dw}，与用锁时相同。</translation>
    </message>
    <message>
        <source>Four ways to add the same rows</source>
        <translation>同样的行，四种加法</translation>
    </message>
    <message>
        <source>Without locks there is no queue. What remains is how the sums of different programs come together.</source>
        <translation>没有锁就没有队列。剩下的问题是：不同程序实例的和怎样合到一起。</translation>
    </message>
    <message>
        <source>The same pass, and what the programs did in it</source>
        <translation>同一次反向传播，以及程序实例在其中做了什么</translation>
    </message>
    <message>
        <source>Who computes, and where the numbers are meanwhile.</source>
        <translation>由谁计算，计算时数字又在哪里。</translation>
    </message>
    <message>
        <source>A step aside, to the first example of Triton&apos;s own introduction.</source>
        <translation>稍作旁顾：Triton 自己入门教程的第一个例子。</translation>
    </message>
    <message>
        <source>backward, N = {n}, 1 buffer</source>
        <translation>反向，N = {n}，1 个缓冲区</translation>
    </message>
    <message>
        <source>what it adds to dw and db</source>
        <translation>它对 dw、db 的贡献</translation>
    </message>
    <message>
        <source>sums that warps exchange for c1 and c2, {size}</source>
        <translation>各 warp 为 c1 和 c2 交换的和，{size}</translation>
    </message>
    <message>
        <source>{count} locks and counts, {size}</source>
        <translation>{count} 个锁和计数，{size}</translation>
    </message>
    <message>
        <source>the buffers, {size}</source>
        <translation>缓冲区，{size}</translation>
    </message>
    <message>
        <source>the weight, {size}</source>
        <translation>权重，{size}</translation>
    </message>
    <message>
        <source>x, dy and dx, {size} each</source>
        <translation>x、dy 和 dx，各 {size}</translation>
    </message>
    <message>
        <source>dw and db, {size} each</source>
        <translation>dw 和 db，各 {size}</translation>
    </message>
    <message>
        <source>groups of {rows} rows</source>
        <translation>{rows} 行一组</translation>
    </message>
    <message>
        <source>row after row</source>
        <translation>一行接一行</translation>
    </message>
    <message>
        <source>With {half} buffers: {second}, {factor} times as long.</source>
        <translation>{half} 个缓冲区时：{second}，是 {factor} 倍。</translation>
    </message>
    <message>
        <source>Tracing overhead of these passes: {least} to {most}.</source>
        <translation>这几遍的追踪开销：{least} 至 {most}。</translation>
    </message>
    <message>
        <source>A fault of timing: a test that passes says little. It takes exact inputs and many runs.</source>
        <translation>这是时序的错误：一次测试通过说明不了什么。需要精确的输入和许多次运行。</translation>
    </message>
    <message>
        <source>Lost rows, and last bits</source>
        <translation>丢失的更新与末位误差</translation>
    </message>
    <message>
        <source>Why not more buffers</source>
        <translation>为什么不用更多缓冲区</translation>
    </message>
    <message>
        <source>Where everything lives</source>
        <translation>执行层次与存储层次</translation>
    </message>
    <message>
        <source>The order of programs</source>
        <translation>程序实例的顺序</translation>
    </message>
    <message>
        <source>ssh://host, or ssh://user@host:port/cuda:1, with ?python=/path/to/python behind it where it is not found</source>
        <translation>ssh://host，或 ssh://user@host:port/cuda:1；找不到 Python 时在其后加上 ?python=/path/to/python</translation>
    </message>
    <message>
        <source>take {form}</source>
        <translation>请按 {form} 的形式填写</translation>
    </message>
    <message>
        <source>tcp://HOST:PORT, tls://HOST:PORT or local:N with N from 1 to 256</source>
        <translation>tcp://HOST:PORT、tls://HOST:PORT 或 local:N（N 从 1 到 256）</translation>
    </message>
    <message>
        <source>take {addresses}</source>
        <translation>请取 {addresses}</translation>
    </message>
    <message>
        <source>The Dask scheduler at {address} cannot be used: {cause}.</source>
        <translation>无法使用 {address} 的 Dask 调度器：{cause}。</translation>
    </message>
    <message>
        <source>lnexplorer {version} is not installed there ({error}).</source>
        <translation>那里没有安装 lnexplorer {version}（{error}）。</translation>
    </message>
    <message>
        <source>The scheduler at {address} has had no Dask worker for {seconds} s.</source>
        <translation>{address} 的调度器已有 {seconds} s 没有 Dask 工作进程。</translation>
    </message>
    <message>
        <source>{place}: {reason}</source>
        <translation>{place}：{reason}</translation>
    </message>
    <message>
        <source>The Dask worker on {host} is gone.</source>
        <translation>{host} 上的 Dask 工作进程已不在。</translation>
    </message>
    <message>
        <source>There are {gpus} GPUs here, so local:{count} is too many.</source>
        <translation>这里有 {gpus} 个 GPU，local:{count} 太多。</translation>
    </message>
    <message>
        <source>The Dask scheduler at {address} does not answer: {cause}.</source>
        <translation>{address} 的 Dask 调度器没有应答：{cause}。</translation>
    </message>
    <message>
        <source>The Dask worker has no resource GPU: start it with --resources GPU=1, or choose the device interpreter.</source>
        <translation>该 Dask 工作进程没有资源 GPU：请用 --resources GPU=1 启动它，或选择设备 interpreter。</translation>
    </message>
    <message>
        <source>The scheduler at {address} has Dask {theirs}, and this side {ours}: both need the same. pip install &apos;distributed=={theirs}&apos;</source>
        <translation>{address} 的调度器是 Dask {theirs}，这里是 {ours}：两边必须相同。pip install &apos;distributed=={theirs}&apos;</translation>
    </message>
    <message>
        <source>The Dask scheduler at {address} does not answer any more.</source>
        <translation>{address} 的 Dask 调度器不再应答。</translation>
    </message>
    <message>
        <source>The worker was let go.</source>
        <translation>工作进程已被释放。</translation>
    </message>
    <message>
        <source>{host} cannot be reached: {cause}.</source>
        <translation>无法连接 {host}：{cause}。</translation>
    </message>
    <message>
        <source>{host} has a Python that is too old ({found}): lnexplorer needs 3.11 or above. With one, there: {command}</source>
        <translation>{host} 的 Python 太旧（{found}）：lnexplorer 需要 3.11 或更高版本。装好之后，请在那里运行：{command}</translation>
    </message>
    <message>
        <source>{host} has no python3. Install Python 3.11 or above there, then: {command}</source>
        <translation>{host} 上没有 python3。请在那里安装 Python 3.11 或更高版本，然后运行：{command}</translation>
    </message>
    <message>
        <source>{host} has no lnexplorer. There: {command}</source>
        <translation>{host} 上没有 lnexplorer。请在那里运行：{command}</translation>
    </message>
    <message>
        <source>The host key of {host} is not known yet. Accept it once: ssh {login}</source>
        <translation>{host} 的主机密钥还不认识。请接受一次：ssh {login}</translation>
    </message>
    <message>
        <source>{host} takes none of your keys, and no password is asked for here. Copy one there: ssh-copy-id {login}; or load it: ssh-add</source>
        <translation>{host} 不接受您的任何密钥，而这里不会询问密码。请复制一个过去：ssh-copy-id {login}；或加载它：ssh-add</translation>
    </message>
    <message>
        <source>There is no host {host}: {cause}.</source>
        <translation>没有主机 {host}：{cause}。</translation>
    </message>
    <message>
        <source>The line to {host} dropped {when}: {cause}.</source>
        <translation>与 {host} 的连接在{when}断开：{cause}。</translation>
    </message>
    <message>
        <source>OpenSSH does not say why</source>
        <translation>OpenSSH 没有说明原因</translation>
    </message>
    <message>
        <source>{host} says something else than a worker does: its login shell prints more than {most} bytes first. Let its start-up files print nothing where nobody reads it.</source>
        <translation>{host} 发来的不是工作进程的内容：其登录 shell 先打印了超过 {most} 字节。请让它的启动文件在无人阅读时什么也不打印。</translation>
    </message>
    <message>
        <source>{host} did not answer within {seconds}.</source>
        <translation>{host} 在 {seconds} 内没有应答。</translation>
    </message>
    <message>
        <source>a row queues for its lock, mean, µs</source>
        <translation>每行为锁排队，平均，µs</translation>
    </message>
    <message>
        <source>a row tries its free lock, mean, µs</source>
        <translation>每行尝试取空闲的锁，平均，µs</translation>
    </message>
    <message>
        <source>{warps} warps, {block} elements of a block, {shared} B shared</source>
        <translation>{warps} 个 warp，一块的 {block} 个元素，共享内存 {shared} B</translation>
    </message>
    <message>
        <source>{each} elements of a block, {registers} registers</source>
        <translation>一块的 {each} 个元素，{registers} 个寄存器</translation>
    </message>
    <message>
        <source>Largest absolute error of kernel − truth</source>
        <translation>内核 − 真值的最大绝对误差</translation>
    </message>
    <message>
        <source>Hardware counters: where warps of stage 1 were seen, from its first to its last instruction</source>
        <translation>硬件计数器：从第一条指令到最后一条，阶段 1 的 warp 停在哪里</translation>
    </message>
    <message>
        <source>The mean of the row.</source>
        <translation>这一行的均值。</translation>
    </message>
    <message>
        <source>One over the spread of the row.</source>
        <translation>这一行标准差的倒数。</translation>
    </message>
    <message>
        <source>The forward pass.</source>
        <translation>前向。</translation>
    </message>
    <message>
        <source>The backward pass computes xhat again rather than keep it.</source>
        <translation>反向重新计算 xhat，而不是保存它。</translation>
    </message>
    <message>
        <source>The chain rule through y = w · xhat + b.</source>
        <translation>对 y = w · xhat + b 用链式法则。</translation>
    </message>
    <message>
        <source>rstd depends on every x of the row: ∂rstd/∂x = −rstd² · xhat / N. This sum is what comes through rstd.</source>
        <translation>rstd 依赖于这一行的每个 x：∂rstd/∂x = −rstd² · xhat / N。这个和就是经由 rstd 的部分。</translation>
    </message>
    <message>
        <source>The mean depends on every x of the row, too: ∂mean/∂x = 1 / N. This sum is what comes through the mean.</source>
        <translation>均值也依赖于这一行的每个 x：∂mean/∂x = 1 / N。这个和就是经由均值的部分。</translation>
    </message>
    <message>
        <source>All three ways from x to L: directly, through rstd, and through the mean.</source>
        <translation>从 x 到 L 的三条路径：直接、经由 rstd、经由均值。</translation>
    </message>
    <message>
        <source>w and b are shared by all rows, so each row has its share of dw and db.</source>
        <translation>w 和 b 由所有行共用，所以每行都贡献一份 dw 和 db。</translation>
    </message>
    <message>
        <source>Stage 1 adds the shares into G buffers, each behind its lock; db likewise.</source>
        <translation>阶段 1 把各份加到 G 个缓冲区中，每个由自己的锁保护；db 同理。</translation>
    </message>
    <message>
        <source>Stage 2 adds the buffers up; db likewise.</source>
        <translation>阶段 2 把各缓冲区相加；db 同理。</translation>
    </message>
    <message>
        <source>{why} It was at line {line} of {file}.</source>
        <translation>{why} 位置在 {file} 第 {line} 行。</translation>
    </message>
    <message>
        <source>{name}, version {version}: {why}</source>
        <translation>{name}，版本 {version}：{why}</translation>
    </message>
    <message>
        <source>Takes effect at once</source>
        <translation>立即生效</translation>
    </message>
    <message>
        <source>A script with the kernels in it that needs torch and triton alone, and gives the same figure</source>
        <translation>含有内核的脚本，只需要 torch 和 triton，给出同样的数字</translation>
    </message>
    <message>
        <source>The run on the screen, or the runs that are selected in the history</source>
        <translation>屏幕上的运行，或历史中选中的运行</translation>
    </message>
    <message>
        <source>Watch an H200</source>
        <translation>观看 H200</translation>
    </message>
    <message>
        <source>Lecture (F9)</source>
        <translation>讲座 (F9)</translation>
    </message>
    <message>
        <source>Try your own</source>
        <translation>亲手试试</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Triton&apos;s interpreter on the CPU</source>
        <translation>CPU 上的 Triton 解释器</translation>
    </message>
    <message>
        <source>&amp;File</source>
        <translation>文件(&amp;F)</translation>
    </message>
    <message>
        <source>&amp;Run</source>
        <translation>运行(&amp;R)</translation>
    </message>
    <message>
        <source>&amp;View</source>
        <translation>视图(&amp;V)</translation>
    </message>
    <message>
        <source>&amp;Help</source>
        <translation>帮助(&amp;H)</translation>
    </message>
    <message>
        <source>{interpreter}, compiling for {architecture}</source>
        <translation>{interpreter}，为 {architecture} 编译</translation>
    </message>
    <message>
        <source>The best there is</source>
        <translation>现有最好的设备</translation>
    </message>
    <message>
        <source>&amp;Reconnect</source>
        <translation>重新连接(&amp;R)</translation>
    </message>
    <message>
        <source>Take up the line to the machine again, with a new worker there</source>
        <translation>重新连接到这台机器，并在那里启动新的工作进程</translation>
    </message>
    <message>
        <source>{device} on {host}</source>
        <translation>{host} 上的 {device}</translation>
    </message>
    <message>
        <source>&amp;Gallery …</source>
        <translation>图库(&amp;G)…</translation>
    </message>
    <message>
        <source>What was recorded on a GPU: traces, benchmarks, experiments</source>
        <translation>在 GPU 上实测的记录：追踪、基准测试、实验</translation>
    </message>
    <message>
        <source>Save &amp;recording …</source>
        <translation>保存实测记录(&amp;R)…</translation>
    </message>
    <message>
        <source>Save the run on the screen, for this program to open elsewhere</source>
        <translation>保存屏幕上的运行，供本程序在别处打开</translation>
    </message>
    <message>
        <source>Save sess&amp;ion …</source>
        <translation>保存会话(&amp;I)…</translation>
    </message>
    <message>
        <source>Keep everything that is open in a file: runs, sweeps, experiments, the timeline, and how they are shown</source>
        <translation>把打开的一切存入一个文件：运行、参数扫描、实验、时间线，以及它们的显示方式</translation>
    </message>
    <message>
        <source>&amp;Export</source>
        <translation>导出(&amp;E)</translation>
    </message>
    <message>
        <source>&amp;Save picture …</source>
        <translation>保存图片(&amp;S)…</translation>
    </message>
    <message>
        <source>Save the window as a picture</source>
        <translation>把窗口保存为图片</translation>
    </message>
    <message>
        <source>&amp;Quit</source>
        <translation>退出(&amp;Q)</translation>
    </message>
    <message>
        <source>Close the window and end the worker</source>
        <translation>关闭窗口并结束工作进程</translation>
    </message>
    <message>
        <source>Run the kernels with the parameters as they are</source>
        <translation>用当前参数运行内核</translation>
    </message>
    <message>
        <source>&amp;Stop</source>
        <translation>停止(&amp;S)</translation>
    </message>
    <message>
        <source>Stop the run</source>
        <translation>停止运行</translation>
    </message>
    <message>
        <source>&amp;Live</source>
        <translation>实时(&amp;L)</translation>
    </message>
    <message>
        <source>Run whenever a parameter moves</source>
        <translation>参数一变就运行</translation>
    </message>
    <message>
        <source>Record on the GPU when each row wanted, held and released its lock</source>
        <translation>在 GPU 上追踪每一行何时请求、持有和释放锁</translation>
    </message>
    <message>
        <source>&amp;Device</source>
        <translation>设备(&amp;D)</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详细信息</translation>
    </message>
    <message>
        <source>What was written when it happened</source>
        <translation>当时写下的内容</translation>
    </message>
    <message>
        <source>Put this message away</source>
        <translation>收起此消息</translation>
    </message>
    <message>
        <source>The picture cannot be saved in {path}.</source>
        <translation>图片无法保存到 {path}。</translation>
    </message>
    <message>
        <source>Worker starting</source>
        <translation>工作进程启动中</translation>
    </message>
    <message>
        <source>Worker ready</source>
        <translation>工作进程就绪</translation>
    </message>
    <message>
        <source>Running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>Worker lost</source>
        <translation>工作进程已失去</translation>
    </message>
    <message>
        <source>Status</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Triton&apos;s interpreter on {processor}</source>
        <translation>{processor} 上的 Triton 解释器</translation>
    </message>
    <message>
        <source>The worker is a process of its own: it runs the kernels, and can be stopped at any time.</source>
        <translation>工作进程是独立的进程：它运行内核，随时可以停止。</translation>
    </message>
    <message>
        <source>Looking for a device …</source>
        <translation>正在寻找设备…</translation>
    </message>
    <message>
        <source>The worker loads torch and triton first.</source>
        <translation>工作进程先加载 torch 和 triton。</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一项</translation>
    </message>
    <message>
        <source>It is in a window of its own, and returns when that is closed.</source>
        <translation>它在独立窗口中，关闭该窗口后返回。</translation>
    </message>
    <message>
        <source>Fill the workspace with this part, or show the others again (F10)</source>
        <translation>让此面板填满工作区，或重新显示其他面板 (F10)</translation>
    </message>
    <message>
        <source>Fill the workspace</source>
        <translation>填满工作区</translation>
    </message>
    <message>
        <source>A window of its own for this part; it returns when that is closed (Ctrl+Shift+F)</source>
        <translation>让此面板成为独立窗口；关闭该窗口后面板返回 (Ctrl+Shift+F)</translation>
    </message>
    <message>
        <source>A window of its own</source>
        <translation>独立窗口</translation>
    </message>
    <message>
        <source>One line of values in place of the parameters (Ctrl+P)</source>
        <translation>用一行数值代替参数面板 (Ctrl+P)</translation>
    </message>
    <message>
        <source>Fold the parameters</source>
        <translation>折叠参数</translation>
    </message>
    <message>
        <source>Right</source>
        <translation>正确</translation>
    </message>
    <message>
        <source>Not right</source>
        <translation>不正确</translation>
    </message>
    <message>
        <source>Not yet</source>
        <translation>还不能判定</translation>
    </message>
    <message>
        <source>{done} of {all} solved</source>
        <translation>已解出 {done} / {all}</translation>
    </message>
    <message>
        <source>Exercises</source>
        <translation>练习</translation>
    </message>
    <message>
        <source>Check</source>
        <translation>检查</translation>
    </message>
    <message>
        <source>Hint {number} of {all}</source>
        <translation>提示 {number} / {all}</translation>
    </message>
    <message>
        <source>Exercise</source>
        <translation>练习</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>答案</translation>
    </message>
    <message>
        <source>Your answer: {what}</source>
        <translation>您的答案：{what}</translation>
    </message>
    <message>
        <source>{count} blocks done</source>
        <translation>已完成 {count} 块</translation>
    </message>
    <message>
        <source>{count} blocks loaded</source>
        <translation>已读入 {count} 块</translation>
    </message>
    <message>
        <source>computes</source>
        <translation>计算中</translation>
    </message>
    <message>
        <source>holds lock</source>
        <translation>持锁</translation>
    </message>
    <message>
        <source>count {count}</source>
        <translation>计数 {count}</translation>
    </message>
    <message>
        <source>in its registers</source>
        <translation>在它的寄存器中</translation>
    </message>
    <message>
        <source>what it should hold</source>
        <translation>应有的内容</translation>
    </message>
    <message>
        <source>loaded</source>
        <translation>读入</translation>
    </message>
    <message>
        <source>dw and db</source>
        <translation>dw 和 db</translation>
    </message>
    <message>
        <source>calculated</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Keys</source>
        <translation>按键</translation>
    </message>
    <message>
        <source>queues</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>tries</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>adds</source>
        <translation>累加</translation>
    </message>
    <message>
        <source>KiB in all</source>
        <translation>共 KiB</translation>
    </message>
    <message>
        <source>next step, or event of an animation</source>
        <translation>下一步，或动画的下一个事件</translation>
    </message>
    <message>
        <source>step or event before</source>
        <translation>上一步或上一个事件</translation>
    </message>
    <message>
        <source>next step at once; step 12</source>
        <translation>直接到下一步；第 12 步</translation>
    </message>
    <message>
        <source>black or white screen</source>
        <translation>黑屏或白屏</translation>
    </message>
    <message>
        <source>play or pause the animation</source>
        <translation>播放或暂停动画</translation>
    </message>
    <message>
        <source>black or white background</source>
        <translation>黑色或白色背景</translation>
    </message>
    <message>
        <source>notes; time: start or pause, reset</source>
        <translation>备注；计时：开始或暂停，归零</translation>
    </message>
    <message>
        <source>full screen, this page, leave</source>
        <translation>全屏，本页，离开</translation>
    </message>
    <message>
        <source>{path} cannot be opened: it has more than {most} values.</source>
        <translation>无法打开 {path}：它的值超过 {most} 个。</translation>
    </message>
    <message>
        <source>{path} cannot be opened: it has more than {most} rows.</source>
        <translation>无法打开 {path}：它的行超过 {most} 行。</translation>
    </message>
    <message>
        <source>{gpu}, {date}, benchmark</source>
        <translation>{gpu}，{date}，基准测试</translation>
    </message>
    <message>
        <source>{source}, N = {low:g}–{high:g}</source>
        <translation>{source}，N = {low:g}–{high:g}</translation>
    </message>
    <message>
        <source>{gpu}, {date}, sweep</source>
        <translation>{gpu}，{date}，参数扫描</translation>
    </message>
    <message>
        <source>Sweep {sweep} has {names}, of your own: watch its file in Run first.</source>
        <translation>参数扫描 {sweep} 含有您自己的 {names}：请先打开其文件。</translation>
    </message>
    <message>
        <source>it unpacks to more than {most} MiB</source>
        <translation>它解压后超过 {most} MiB</translation>
    </message>
    <message>
        <source>The {kind} would be too large: choose fewer runs or sweeps.</source>
        <translation>{kind}会太大：请少选一些运行或参数扫描。</translation>
    </message>
    <message>
        <source>its GPUs do what is not known, or end before they begin</source>
        <translation>它的 GPU 做了未知的事，或在开始之前就结束</translation>
    </message>
    <message>
        <source>Triton&apos;s tutorial, English edition</source>
        <translation>Triton 教程，英文版</translation>
    </message>
    <message>
        <source>Triton&apos;s tutorial, Chinese edition</source>
        <translation>Triton 教程，中文版</translation>
    </message>
    <message>
        <source>the sum over GPUs needs {need}, and the last GPU here is cuda:{last}</source>
        <translation>跨 GPU 求和需要 {need}，而这里的最后一个 GPU 是 cuda:{last}</translation>
    </message>
    <message>
        <source>N = {n}</source>
        <translation>N = {n}</translation>
    </message>
    <message>
        <source>waiting: it is the turn of {who} on this GPU</source>
        <translation>等待中：此 GPU 正轮到 {who} 使用</translation>
    </message>
    <message>
        <source>Restart &amp;worker</source>
        <translation>重启工作进程(&amp;W)</translation>
    </message>
    <message>
        <source>{names} waited for another GPU, which did not come</source>
        <translation>{names} 在等另一个 GPU，但它没有来</translation>
    </message>
    <message>
        <source>{one} cannot reach the memory of {other}</source>
        <translation>{one} 无法访问 {other} 的显存</translation>
    </message>
    <message>
        <source>{path} is a device or a pipe, not a file</source>
        <translation>{path} 是设备或管道，不是文件</translation>
    </message>
    <message>
        <source>write {name} out as a literal</source>
        <translation>请把 {name} 写成字面量</translation>
    </message>
    <message>
        <source>there is no file {path} on {host}: put its text into the same place there</source>
        <translation>{host} 上没有文件 {path}：请把同样的内容放到那里的同一位置</translation>
    </message>
    <message>
        <source>{place} has no function {name}</source>
        <translation>{place} 中没有函数 {name}</translation>
    </message>
    <message>
        <source>{file} has stamped nothing: hand its kernel what backward is given as trace</source>
        <translation>{file} 没有打下任何时间戳：请把 backward 得到的 trace 传给它的内核</translation>
    </message>
    <message>
        <source>{file}: two of {names} cannot be told apart: rename one</source>
        <translation>{file}：{names} 中有两个无法区分：请改其中一个的名称</translation>
    </message>
    <message>
        <source>{file} has stamps {names}: take two to {most}</source>
        <translation>{file} 有时间戳 {names}：请取两个到 {most} 个</translation>
    </message>
    <message>
        <source>a tensor of {shape} elements is too large to be drawn</source>
        <translation>{shape} 个元素的张量太大，无法绘出</translation>
    </message>
    <message>
        <source>the encoding {kind} cannot be drawn</source>
        <translation>无法绘出编码 {kind}</translation>
    </message>
    <message>
        <source>the encoding lacks {name}</source>
        <translation>编码缺少 {name}</translation>
    </message>
    <message>
        <source>a slice without a parent cannot be drawn</source>
        <translation>无法绘出没有父布局的切片</translation>
    </message>
    <message>
        <source>It does not say why</source>
        <translation>它没有说明原因</translation>
    </message>
    <message>
        <source>{error}. Restart the machine or reinstall the driver.</source>
        <translation>{error}。请重启机器或重新安装驱动。</translation>
    </message>
    <message>
        <source>Install one: pip uninstall torch, then pip install torch.</source>
        <translation>安装这样的版本：先 pip uninstall torch，再 pip install torch。</translation>
    </message>
    <message>
        <source>Unset CUDA_VISIBLE_DEVICES.</source>
        <translation>请取消设置 CUDA_VISIBLE_DEVICES。</translation>
    </message>
    <message>
        <source>{name} {version} is not a version that this program is tested with: at least {least}, below {below}.</source>
        <translation>本程序没有用 {name} {version} 测试过：需要至少 {least}、低于 {below} 的版本。</translation>
    </message>
    <message>
        <source>{remedy} Until then kernels run on Triton&apos;s interpreter.</source>
        <translation>{remedy}在此之前，内核在 Triton 解释器中运行。</translation>
    </message>
    <message>
        <source>Install it again: {command}</source>
        <translation>请重新安装：{command}</translation>
    </message>
    <message>
        <source>Use Python {least} to {newest}.</source>
        <translation>请使用 Python {least} 至 {newest}。</translation>
    </message>
    <message>
        <source>Install it: {command}</source>
        <translation>请安装：{command}</translation>
    </message>
    <message>
        <source>Install one that is: {command}</source>
        <translation>请安装测试过的版本：{command}</translation>
    </message>
    <message>
        <source>There is no {device}. GPUs that can be used: {count}.</source>
        <translation>没有 {device}。可用的 GPU 数：{count}。</translation>
    </message>
    <message>
        <source>{name} is refused: its compute capability is {capability}.</source>
        <translation>不能使用 {name}：它的计算能力是 {capability}。</translation>
    </message>
    <message>
        <source>the output of ncu cannot be read: {error}</source>
        <translation>读不懂 ncu 的输出：{error}</translation>
    </message>
    <message>
        <source>take a number, at least {least}</source>
        <translation>可取不小于 {least} 的数</translation>
    </message>
    <message>
        <source>save it in UTF-8: there is a byte of something else</source>
        <translation>请用 UTF-8 保存：其中有一个字节不是</translation>
    </message>
    <message>
        <source>{name} gives y without a gradient: make it differentiable, or write forward and backward</source>
        <translation>{name} 返回的 y 没有梯度：请使它可微，或写出 forward 和 backward</translation>
    </message>
    <message>
        <source>{name} is wrong in {count:,} of its elements, some of them NaN or infinite where the truth is not, or the reverse</source>
        <translation>{name} 有 {count:,} 个元素错误，其中有的是 NaN 或无穷大而真值不是，或者相反</translation>
    </message>
    <message>
        <source>take 1 to {most} letters, digits, signs and blanks</source>
        <translation>可取 1 到 {most} 个字母、数字、符号和空格</translation>
    </message>
    <message>
        <source>{file} has a stamp {name}: {allowed}</source>
        <translation>{file} 有时间戳 {name}：{allowed}</translation>
    </message>
    <message>
        <source>write NAME=VALUES, with a name in SETTINGS of a file that is named: {names}</source>
        <translation>请写成 NAME=VALUES，名称取自所指定文件的 SETTINGS：{names}</translation>
    </message>
    <message>
        <source>none has any</source>
        <translation>均未提供</translation>
    </message>
    <message>
        <source>{free} of {all} are free.</source>
        <translation>{all} 中有 {free} 空闲。</translation>
    </message>
    <message>
        <source>Other programs use this GPU, and times will vary: {programs}.</source>
        <translation>其他程序正在使用此 GPU，计时会有波动：{programs}。</translation>
    </message>
    <message>
        <source>{name} {version} is installed but cannot be imported: {error}</source>
        <translation>已安装 {name} {version}，但无法导入：{error}</translation>
    </message>
    <message>
        <source>{name} is not installed.</source>
        <translation>没有安装 {name}。</translation>
    </message>
    <message>
        <source>Install NVIDIA&apos;s driver, or load it: sudo modprobe nvidia.</source>
        <translation>请安装 NVIDIA 驱动，或加载它：sudo modprobe nvidia。</translation>
    </message>
    <message>
        <source>Python {version} is not supported.</source>
        <translation>不支持 Python {version}。</translation>
    </message>
    <message>
        <source>The spin lock needs 7.0 or above. Take another GPU, as cuda:N.</source>
        <translation>自旋锁需要 7.0 或以上。请用另一块 GPU（cuda:N）。</translation>
    </message>
    <message>
        <source>End them, or take another GPU, as cuda:N.</source>
        <translation>请结束这些程序，或用另一块 GPU（cuda:N）。</translation>
    </message>
    <message>
        <source>Large runs will not fit: end other programs on this GPU.</source>
        <translation>大规模的运行放不下：请结束此 GPU 上的其他程序。</translation>
    </message>
    <message>
        <source>{share} of the samples: {waits}</source>
        <translation>占采样的 {share}：{waits}</translation>
    </message>
    <message>
        <source>{reason} {share}</source>
        <translation>{reason} {share}</translation>
    </message>
    <message>
        <source>{count} predicated</source>
        <translation>{count} 条带谓词</translation>
    </message>
    <message>
        <source>GROUP_SIZE_M = {size} takes {time}, the fastest {best}: recorded on {gpu}.</source>
        <translation>GROUP_SIZE_M = {size} 用时 {time}，最快的用时 {best}：在 {gpu} 上实测。</translation>
    </message>
    <message>
        <source>Stage 1</source>
        <translation>阶段 1</translation>
    </message>
    <message>
        <source>Stage 2</source>
        <translation>阶段 2</translation>
    </message>
    <message>
        <source>Both stages</source>
        <translation>两个阶段</translation>
    </message>
    <message>
        <source>It is not row {row}.</source>
        <translation>不是第 {row} 行。</translation>
    </message>
    <message>
        <source>one shot</source>
        <translation>单步</translation>
    </message>
    <message>
        <source>NCCL</source>
        <translation>NCCL</translation>
    </message>
    <message>
        <source>waiting for the others</source>
        <translation>等待其他 GPU</translation>
    </message>
    <message>
        <source>reading their sums</source>
        <translation>读取它们的和</translation>
    </message>
    <message>
        <source>adding</source>
        <translation>相加</translation>
    </message>
    <message>
        <source>NCCL&apos;s sum</source>
        <translation>NCCL 的求和</translation>
    </message>
    <message>
        <source>measured on two {gpu}</source>
        <translation>在两个 {gpu} 上测量</translation>
    </message>
    <message>
        <source>The model, {source}: one shot {own_us} µs and {own_gbps} GB/s, ring {ring_us} µs and {ring_gbps} GB/s, a hop {hop_us} µs.</source>
        <translation>模型（{source}）：单步 {own_us} µs、{own_gbps} GB/s，环形 {ring_us} µs、{ring_gbps} GB/s，每一跳 {hop_us} µs。</translation>
    </message>
    <message>
        <source>At N = {n} the sum takes {ours} µs by the one shot and {theirs} by NCCL: {our_share} and {their_share} of the backward pass.</source>
        <translation>N = {n} 时，单步求和需 {ours} µs，NCCL 需 {theirs} µs：分别占反向的 {our_share} 和 {their_share}。</translation>
    </message>
    <message>
        <source>The GPUs&apos; timers are aligned to ±{doubt} ns by words that took {trip} µs from one to the other and back.</source>
        <translation>两个 GPU 的计时器通过来回 {trip} µs 的消息对齐，误差 ±{doubt} ns。</translation>
    </message>
    <message>
        <source>its ring measured with NCCL on two NVIDIA H200, all else assumed</source>
        <translation>其环形用 NCCL 在两个 NVIDIA H200 上测量，其余为假定</translation>
    </message>
    <message>
        <source>The interpreter has no GPUs: its {count} ranks are buffers.</source>
        <translation>解释器没有 GPU：它的 {count} 个 rank 是缓冲区。</translation>
    </message>
    <message>
        <source>The one shot is faster than NCCL</source>
        <translation>单步比 NCCL 快</translation>
    </message>
    <message>
        <source>NCCL is faster than the one shot</source>
        <translation>NCCL 比单步快</translation>
    </message>
    <message>
        <source>dw and db are off by {own} at most by the one shot, by {nccl} by NCCL.</source>
        <translation>单步的 dw 和 db 最多差 {own}，NCCL 最多差 {nccl}。</translation>
    </message>
    <message>
        <source>dw and db are off by {own} at most by the one shot.</source>
        <translation>单步的 dw 和 db 最多差 {own}。</translation>
    </message>
    <message>
        <source>All ranks got the same bits.</source>
        <translation>所有 rank 得到相同的位。</translation>
    </message>
    <message>
        <source>Ranks got other bits than others.</source>
        <translation>各 rank 得到的位不同。</translation>
    </message>
    <message>
        <source>{faster} at {count} of {all} widths, N = {first} to {last}.</source>
        <translation>{faster}：{all} 个宽度中有 {count} 个，N = {first} 到 {last}。</translation>
    </message>
    <message>
        <source>name each GPU once</source>
        <translation>每个 GPU 请只写一次</translation>
    </message>
    <message>
        <source>leave it out: {count} GPUs are named</source>
        <translation>请省略：已指定 {count} 个 GPU</translation>
    </message>
    <message>
        <source>leave it out: only gpus has them</source>
        <translation>请省略：只有 gpus 用到它</translation>
    </message>
    <message>
        <source>A plain pass of so few rows is one launch; the lanes show the same work in two, which take longer.</source>
        <translation>行数这么少时，普通的一次运行只启动一次；泳道以两次启动显示同样的工作，用时更长。</translation>
    </message>
    <message>
        <source>The sum over GPUs</source>
        <translation>跨 GPU 求和</translation>
    </message>
    <message>
        <source>What does it cost to add dw and db over GPUs, and what would do it faster?</source>
        <translation>跨 GPU 累加 dw 和 db 要多少代价，怎样能更快？</translation>
    </message>
    <message>
        <source>With float32 buffers GROUP_SIZE_M = {best} is the fastest: {time}, against {one_time} with one buffer.</source>
        <translation>使用 float32 缓冲区时，GROUP_SIZE_M = {best} 最快：{time}，只有一个缓冲区时为 {one_time}。</translation>
    </message>
    <message>
        <source>{strategy} is the fastest: {time}, against locked&apos;s {locked_time} ({factor}).</source>
        <translation>{strategy} 最快：{time}，locked 为 {locked_time}（{factor}）。</translation>
    </message>
    <message>
        <source>locked is the fastest here: {time}.</source>
        <translation>此处 locked 最快：{time}。</translation>
    </message>
    <message>
        <source>{why} It was at {step}, with {files}.</source>
        <translation>{why}当时正在做：{step}，涉及 {files}。</translation>
    </message>
    <message>
        <source>{name}: {why}</source>
        <translation>{name}：{why}</translation>
    </message>
    <message>
        <source>data {name}</source>
        <translation>数据 {name}</translation>
    </message>
    <message>
        <source>right: {names}</source>
        <translation>正确：{names}</translation>
    </message>
    <message>
        <source>{count} to come</source>
        <translation>还有 {count} 项</translation>
    </message>
    <message>
        <source>To {released} programs {rows} give their locks back. {then}: {tiles} programs of stage 2, {columns} columns each, load all buffers. No locks.</source>
        <translation>到 {released}，程序实例 {rows} 释放各自的锁。{then}：阶段 2 的 {tiles} 个程序实例各负责 {columns} 列，读取所有缓冲区。不用锁。</translation>
    </message>
    <message>
        <source>All rows are in: first every thread&apos;s stores, then the lock; a barrier in the kernel sees to it. Stage 2 is a second kernel, which begins when the first one has ended. Its sums are not there yet.</source>
        <translation>所有行都已加入：先等所有线程写完，再释放锁，内核里的屏障保证这一点。阶段 2 是第二个内核，第一个结束后它才开始。它的和还没有出来。</translation>
    </message>
    <message>
        <source>machine code</source>
        <translation>机器码</translation>
    </message>
    <message>
        <source>what it does</source>
        <translation>作用</translation>
    </message>
    <message>
        <source>takes the lock</source>
        <translation>取锁</translation>
    </message>
    <message>
        <source>one thread gives the lock back</source>
        <translation>由一个线程释放锁</translation>
    </message>
    <message>
        <source>straight to dw and db, atomically</source>
        <translation>用原子加法直接加到 dw 和 db</translation>
    </message>
    <message>
        <source>L2 hits {share}</source>
        <translation>L2 命中 {share}</translation>
    </message>
    <message>
        <source>L2 hits {share} in stage 1</source>
        <translation>阶段 1 中 L2 命中 {share}</translation>
    </message>
    <message>
        <source>results of {runs} runs</source>
        <translation>{runs} 次运行的结果</translation>
    </message>
    <message>
        <source>stage 2 adds both</source>
        <translation>阶段 2 把两者相加</translation>
    </message>
    <message>
        <source>program {program} adds row {row}</source>
        <translation>程序实例 {program} 加第 {row} 行</translation>
    </message>
    <message>
        <source>Sums of one&apos;s own, in registers</source>
        <translation>各自的和，放在寄存器中</translation>
    </message>
    <message>
        <source>{p} programs instead of {m} take one row after the other. Nobody queues.</source>
        <translation>{p} 个程序实例，而不是 {m} 个，一行接一行地处理。无人排队。</translation>
    </message>
    <message>
        <source>Stored once, and added in stage 2</source>
        <translation>只写一次，在阶段 2 相加</translation>
    </message>
    <message>
        <source>Two stores in place of one for each row. db goes the same way.</source>
        <translation>只写两次，而不是每行一次。db 也是如此。</translation>
    </message>
    <message>
        <source>minute {minute} of {length}</source>
        <translation>第 {minute} 分钟，共 {length} 分钟</translation>
    </message>
    <message>
        <source>take numbers, on or off, as SETTINGS of the file has them</source>
        <translation>请使用数字、on 或 off，与该文件 SETTINGS 中的一样</translation>
    </message>
    <message>
        <source>tied within noise with {other}</source>
        <translation>与 {other} 的差异在噪声之内</translation>
    </message>
    <message>
        <source>{change} from N = {n}</source>
        <translation>{change}（从 N = {n} 起）</translation>
    </message>
    <message>
        <source>{allowed}; --setting NAME=VALUE holds one of a kernel&apos;s own</source>
        <translation>{allowed}；--setting NAME=VALUE 固定内核自己的一项设置</translation>
    </message>
    <message>
        <source>take a number, on, off or a word</source>
        <translation>可取一个数、on、off 或一个词</translation>
    </message>
    <message>
        <source>it starts before time 0</source>
        <translation>它在时刻 0 之前开始</translation>
    </message>
    <message>
        <source>{what} {at}: {why}</source>
        <translation>{what} {at}：{why}</translation>
    </message>
    <message>
        <source>GROUP_SIZE_M or a tile&apos;s BLOCK_SIZE_M is less than 1</source>
        <translation>GROUP_SIZE_M 或分块的 BLOCK_SIZE_M 小于 1</translation>
    </message>
    <message>
        <source>its lock is not row mod GROUP_SIZE_M</source>
        <translation>它的锁不是行号 mod GROUP_SIZE_M</translation>
    </message>
    <message>
        <source>a row has a lock that is not there</source>
        <translation>有一行用了不存在的锁</translation>
    </message>
    <message>
        <source>it has {count} phases: there are two to four</source>
        <translation>它有 {count} 段：应有两段到四段</translation>
    </message>
    <message>
        <source>the order of its lock does not count its rows from 0</source>
        <translation>它的锁的次序没有从 0 起数各行</translation>
    </message>
    <message>
        <source>it held its lock earlier than the row before it in the order</source>
        <translation>它比次序中的前一行更早持有锁</translation>
    </message>
    <message>
        <source>stage 2 starts before {after}</source>
        <translation>阶段 2 在{after}之前就开始了</translation>
    </message>
    <message>
        <source>its program works on two pieces at the same time</source>
        <translation>它的程序实例同时处理两块</translation>
    </message>
    <message>
        <source>it is taken before its program starts</source>
        <translation>它在其程序实例开始之前就被取走</translation>
    </message>
    <message>
        <source>it adds sums that it does not have yet</source>
        <translation>它累加了尚未得到的和</translation>
    </message>
    <message>
        <source>{before} is later than {after}</source>
        <translation>{before} 晚于 {after}</translation>
    </message>
    <message>
        <source>its buffers are not of {known}</source>
        <translation>其缓冲区的类型不是 {known} 之一</translation>
    </message>
    <message>
        <source>it held its lock without a try</source>
        <translation>它没有尝试就持有了锁</translation>
    </message>
    <message>
        <source>it held its lock at the same time as the row before it</source>
        <translation>它与前一行同时持有锁</translation>
    </message>
    <message>
        <source>{hours} h {minutes} min</source>
        <translation>{hours} 小时 {minutes} 分钟</translation>
    </message>
    <message>
        <source>{seconds} s</source>
        <translation>{seconds} 秒</translation>
    </message>
    <message>
        <source>{minutes} min</source>
        <translation>{minutes} 分钟</translation>
    </message>
    <message>
        <source>{host} has another lnexplorer than {ours}, which is here. There: {command}</source>
        <translation>{host} 上的 lnexplorer 与这里的 {ours} 不同。请在那里运行：{command}</translation>
    </message>
    <message>
        <source>{host} shows another host key than before, and OpenSSH refuses it: {cause}. If that is right: ssh-keygen -R {known}, then once: ssh {login}</source>
        <translation>{host} 的主机密钥与以前不同，OpenSSH 拒绝连接：{cause}。如果这没有问题：ssh-keygen -R {known}，然后执行一次：ssh {login}</translation>
    </message>
    <message>
        <source>{host} does not answer: a proxy command or a jump host hangs, or a firewall is in the way. Try: ssh {login} true</source>
        <translation>{host} 没有应答：代理命令或跳板机卡住，或被防火墙拦住。请试：ssh {login} true</translation>
    </message>
    <message>
        <source>The worker took longer than {seconds} {when}, and was ended.</source>
        <translation>工作进程{when}用时超过 {seconds}，已被结束。</translation>
    </message>
    <message>
        <source>On {where}. Shares of what the hardware can do; then what a warp waits for between two instructions.</source>
        <translation>在 {where} 上。占硬件能力的比例；其下是 warp 在两条指令之间等什么。</translation>
    </message>
    <message>
        <source>Counted</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>This experiment was cut off and found nothing: {title}. Run does it again.</source>
        <translation>此实验中断了，没有结果：{title}。“运行”可以重做。</translation>
    </message>
    <message>
        <source>The experiment was cut off: what it found until then is on show.</source>
        <translation>实验中断了：显示的是它到那时为止的结果。</translation>
    </message>
    <message>
        <source>An experiment of the history that was cut off: {title}</source>
        <translation>历史中一次中断的实验：{title}</translation>
    </message>
    <message>
        <source>reads</source>
        <translation>读</translation>
    </message>
    <message>
        <source>writes</source>
        <translation>写</translation>
    </message>
    <message>
        <source>tries the lock</source>
        <translation>尝试取锁</translation>
    </message>
    <message>
        <source>gives back</source>
        <translation>释放</translation>
    </message>
    <message>
        <source>counts up</source>
        <translation>计数加一</translation>
    </message>
    <message>
        <source>{path} has changed since the session was saved: open it, if you trust what it is now</source>
        <translation>{path} 在会话保存之后有改动：如果您信任它现在的内容，请打开它</translation>
    </message>
    <message>
        <source>it was stopped</source>
        <translation>它被停止了</translation>
    </message>
    <message>
        <source>not checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>Something unexpected went wrong: {cause}</source>
        <translation>发生了意外错误：{cause}</translation>
    </message>
    <message>
        <source>These runs, the sweep on the screen, and the experiments that were done here</source>
        <translation>这些运行、屏幕上的参数扫描，以及在这里做过的实验</translation>
    </message>
    <message>
        <source>End the worker process and start a new one</source>
        <translation>结束工作进程并启动一个新的</translation>
    </message>
    <message>
        <source>SM clock</source>
        <translation>SM 时钟</translation>
    </message>
    <message>
        <source>memory clock</source>
        <translation>显存时钟</translation>
    </message>
    <message>
        <source>temperature</source>
        <translation>温度</translation>
    </message>
    <message>
        <source>power</source>
        <translation>功率</translation>
    </message>
    <message>
        <source>clocks held down by</source>
        <translation>时钟受限于</translation>
    </message>
    <message>
        <source>other processes</source>
        <translation>其他进程</translation>
    </message>
    <message>
        <source>runs with a wrong {name}, by column</source>
        <translation>各列 {name} 出错的运行次数</translation>
    </message>
    <message>
        <source>From Triton 3.9 on the compiler puts a barrier there itself; this was {triton}.</source>
        <translation>从 Triton 3.9 起，编译器自己在那里加屏障；这里用的是 {triton}。</translation>
    </message>
    <message>
        <source>barrier left out</source>
        <translation>去掉屏障</translation>
    </message>
    <message>
        <source>first row</source>
        <translation>第一行</translation>
    </message>
    <message>
        <source>after stamp</source>
        <translation>在此标记之后</translation>
    </message>
    <message>
        <source>before stamp</source>
        <translation>在此标记之前</translation>
    </message>
    <message>
        <source>waits for lock or program</source>
        <translation>在等的锁或程序实例</translation>
    </message>
    <message>
        <source>stands for</source>
        <translation>已停</translation>
    </message>
    <message>
        <source>Row {row:,} stands after the stamp {stamp}</source>
        <translation>行 {row:,} 停在标记 {stamp} 之后</translation>
    </message>
    <message>
        <source>{stamp} (line {line})</source>
        <translation>{stamp}（第 {line} 行）</translation>
    </message>
    <message>
        <source>Row {row:,} took lock {lock} ({place}) and never gave it back. Rows that wait for it: {others:,}.</source>
        <translation>行 {row:,} 取得了锁 {lock}（{place}），却一直没有释放。有 {others:,} 行在等它。</translation>
    </message>
    <message>
        <source>barrier put back</source>
        <translation>恢复屏障</translation>
    </message>
    <message>
        <source>column</source>
        <translation>列</translation>
    </message>
    <message>
        <source>forward pass, ms</source>
        <translation>前向，ms</translation>
    </message>
    <message>
        <source>backward pass, ms</source>
        <translation>反向，ms</translation>
    </message>
    <message>
        <source>bytes of both passes</source>
        <translation>两个方向的字节数</translation>
    </message>
    <message>
        <source>mask in memory</source>
        <translation>掩码存入显存</translation>
    </message>
    <message>
        <source>one backward pass with N = {n}, µs</source>
        <translation>N = {n} 的一次反向，µs</translation>
    </message>
    <message>
        <source>sum over {ranks} GPUs, simulated, µs</source>
        <translation>{ranks} 个 GPU 上的求和，模拟，µs</translation>
    </message>
    <message>
        <source>sum over {ranks} GPUs, µs</source>
        <translation>{ranks} 个 GPU 上的求和，µs</translation>
    </message>
    <message>
        <source>the sum&apos;s share of the backward pass, %</source>
        <translation>求和占反向的比例，%</translation>
    </message>
    <message>
        <source>largest error of dw and db</source>
        <translation>dw 和 db 的最大误差</translation>
    </message>
    <message>
        <source>{name}, simulated</source>
        <translation>{name}，模拟</translation>
    </message>
    <message>
        <source>float32 buffers</source>
        <translation>float32 缓冲区</translation>
    </message>
    <message>
        <source>{dtype} buffers</source>
        <translation>{dtype} 缓冲区</translation>
    </message>
    <message>
        <source>a row before its lock, mean, µs</source>
        <translation>一行在锁前的平均时间，µs</translation>
    </message>
    <message>
        <source>largest error of dw</source>
        <translation>dw 的最大误差</translation>
    </message>
    <message>
        <source>buffers, MiB</source>
        <translation>缓冲区，MiB</translation>
    </message>
    <message>
        <source>columns of dw</source>
        <translation>dw 的列数</translation>
    </message>
    <message>
        <source>largest − smallest dw of a column over all runs</source>
        <translation>各次运行中同一列 dw 的最大值 − 最小值</translation>
    </message>
    <message>
        <source>{name}: {distinct} different of {runs}</source>
        <translation>{name}：{runs} 次中 {distinct} 种</translation>
    </message>
    <message>
        <source>columns of dw (one order only: the interpreter&apos;s)</source>
        <translation>dw 的列数（只有解释器的一种顺序）</translation>
    </message>
    <message>
        <source>{strategy}, {dtype} buffers</source>
        <translation>{strategy}，{dtype} 缓冲区</translation>
    </message>
    <message>
        <source>backward, ms (of ceiling)</source>
        <translation>反向，ms（占上限）</translation>
    </message>
    <message>
        <source>workspace</source>
        <translation>工作区</translation>
    </message>
    <message>
        <source>No clock here: a line is a program, the axis counts events. Waiting and contention are missing.</source>
        <translation>这里没有时钟：一行是一个程序实例，横轴按事件计数。看不到等待与争用。</translation>
    </message>
    <message>
        <source>split: programs share a row, each has a slice of it and waits for the sums of the others</source>
        <translation>split：几个程序实例分担一行，每个程序实例处理其中一片，并等待其余各片的和</translation>
    </message>
    <message>
        <source>The same SMs in each strip; a line is a place for a program on an SM; below them stage 2</source>
        <translation>各条带中是相同的 SM；每一线是 SM 上一个程序实例的位置；其下是阶段 2</translation>
    </message>
    <message>
        <source>the history has no such column; take one of {names}</source>
        <translation>历史中没有这一列；可用的有 {names}</translation>
    </message>
    <message>
        <source>Kernels run on Linux alone, for which Triton is made. Open a recording here, or choose another machine as the device: ssh://host.</source>
        <translation>内核只能在 Linux 上运行，Triton 是为它而做的。请在这里打开一个记录，或选择另一台机器作为设备：ssh://host。</translation>
    </message>
    <message>
        <source>The interpreter has no times.</source>
        <translation>解释器没有时间。</translation>
    </message>
    <message>
        <source>Problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Forward and stage 1</source>
        <translation>前向与阶段 1</translation>
    </message>
    <message>
        <source>Partial sums</source>
        <translation>部分和</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>M</source>
        <translation>M</translation>
    </message>
    <message>
        <source>Number of rows of x. With strategy locked, forward and stage 1 of the backward pass run one program per row.</source>
        <translation>x 的行数。策略为 locked 时，前向和反向的阶段 1 每行运行一个程序实例。</translation>
    </message>
    <message>
        <source>N</source>
        <translation>N</translation>
    </message>
    <message>
        <source>Number of columns of x: the length of each normalized row, and of the weight, the bias, dw and db.</source>
        <translation>x 的列数：每个被归一化的行的长度，也是权重、偏置、dw 和 db 的长度。</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>Element type of x, y and their gradients. Sums inside a program are always float32.</source>
        <translation>x、y 及其梯度的元素类型。程序实例内部的求和始终用 float32。</translation>
    </message>
    <message>
        <source>eps</source>
        <translation>eps</translation>
    </message>
    <message>
        <source>How the rows&apos; contributions to dw and db are summed; each has settings of its own. auto takes the fastest known.</source>
        <translation>各行对 dw 和 db 的贡献怎样求和；每种策略有自己的设置。auto 取已知最快的。</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>What x, the weight, the bias and dy are filled with; tutorial is the distribution of the tutorial&apos;s check.</source>
        <translation>x、权重、偏置和 dy 用什么填充；tutorial 是教程检查所用的分布。</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>Start of the random numbers: the same seed gives the same data.</source>
        <translation>随机数的起点：相同的种子给出相同的数据。</translation>
    </message>
    <message>
        <source>How often the backward pass is run and checked. The order of locks differs each time; the worst result counts.</source>
        <translation>反向传播运行并检查多少次。每次取锁的顺序不同；取最差的结果。</translation>
    </message>
    <message>
        <source>its kernels are neither Triton&apos;s nor in a library that a file brings along</source>
        <translation>它的内核既不是 Triton 的，也不在文件所带的库中</translation>
    </message>
    <message>
        <source>of a peer only LayerNorm and RMSNorm without a residual are shown</source>
        <translation>对其他实现只显示不带残差的 LayerNorm 和 RMSNorm</translation>
    </message>
    <message>
        <source>Lecture: M=4, G=2</source>
        <translation>讲座：M=4，G=2</translation>
    </message>
    <message>
        <source>Four rows and two buffers: small enough to follow every number of the reduction by hand.</source>
        <translation>四行、两个缓冲区：小到可以手算归约中的每个数。</translation>
    </message>
    <message>
        <source>Tutorial&apos;s check</source>
        <translation>教程的检查</translation>
    </message>
    <message>
        <source>The shape and data on which the tutorial compares with PyTorch.</source>
        <translation>教程与 PyTorch 比较时所用的形状和数据。</translation>
    </message>
    <message>
        <source>Tutorial&apos;s benchmark</source>
        <translation>教程的基准测试</translation>
    </message>
    <message>
        <source>One point of the tutorial&apos;s curve: 4096 rows, float16.</source>
        <translation>教程曲线上的一点：4096 行，float16。</translation>
    </message>
    <message>
        <source>Without locks, width 8192</source>
        <translation>无锁，宽 8192</translation>
    </message>
    <message>
        <source>The same point with the strategy that is chosen automatically.</source>
        <translation>同一个点，策略自动选择。</translation>
    </message>
    <message>
        <source>Without locks, width 65536</source>
        <translation>无锁，宽 65536</translation>
    </message>
    <message>
        <source>Rows that no program can hold: several programs share each.</source>
        <translation>一个程序实例放不下的行：每行由几个程序实例分担。</translation>
    </message>
    <message>
        <source>Interpreter&apos;s default</source>
        <translation>解释器的默认设置</translation>
    </message>
    <message>
        <source>Few rows, so that it takes well under a second without a GPU.</source>
        <translation>行数少，没有 GPU 也远不到一秒。</translation>
    </message>
    <message>
        <source>32 sequences of 512 tokens.</source>
        <translation>32 个序列，每个 512 个词元。</translation>
    </message>
    <message>
        <source>Two sequences of 4096 tokens.</source>
        <translation>两个序列，每个 4096 个词元。</translation>
    </message>
    <message>
        <source>Tutorial&apos;s curve</source>
        <translation>教程曲线</translation>
    </message>
    <message>
        <source>4096 rows of float16, N from 1024 to 15872: the curve that the tutorial ends with, forward and backward, beside PyTorch&apos;s.</source>
        <translation>4096 行 float16，N 从 1024 到 15872：教程最后的曲线，前向和反向，与 PyTorch 对照。</translation>
    </message>
    <message>
        <source>64 rows</source>
        <translation>64 行</translation>
    </message>
    <message>
        <source>N from 64 to 1024, as small as the interpreter needs it: how the error of each result grows with the row.</source>
        <translation>N 从 64 到 1024，小到解释器可以承受：各结果的误差怎样随行宽增长。</translation>
    </message>
    <message>
        <source>it needs Dask, which is not installed: pip install &apos;.[cluster]&apos; in the clone</source>
        <translation>它需要 Dask，但没有安装：请在克隆的目录中运行 pip install &apos;.[cluster]&apos;</translation>
    </message>
    <message>
        <source>BLOCK_SIZE × warps</source>
        <translation>BLOCK_SIZE × warp 数</translation>
    </message>
    <message>
        <source>Which block and how many warps the forward pass is fastest with, as a heat map.</source>
        <translation>前向用多大的块、多少个 warp 最快，以热图显示。</translation>
    </message>
    <message>
        <source>Fewer buffers mean more waiting, more buffers a longer second stage, and either way another rounding of dw and db.</source>
        <translation>缓冲区越少等待越多，缓冲区越多阶段 2 越长；无论哪种，dw 和 db 的舍入都会不同。</translation>
    </message>
    <message>
        <source>Apart from queues, row {row} changed most: {phase} {ns} (lock {lock}).</source>
        <translation>不计排队，第 {row} 行变化最大：{phase} {ns}（锁 {lock}）。</translation>
    </message>
    <message>
        <source>Locks of B whose rows changed most, all rows added up: {locks}</source>
        <translation>B 中各行变化最大的锁（各行之和）：{locks}</translation>
    </message>
    <message>
        <source>deciding chain</source>
        <translation>决定终点的一串行</translation>
    </message>
    <message>
        <source>end</source>
        <translation>终点</translation>
    </message>
    <message>
        <source>Rows that decide the end of {name}, {count:,}: {rows}</source>
        <translation>决定 {name} 终点的行，{count:,} 行：{rows}</translation>
    </message>
    <message>
        <source>The largest error that an element is allowed, which need not be the one that is furthest off: each has a bound of its own, or PyTorch&apos;s error where that is larger.</source>
        <translation>元素允许的最大误差；该元素不一定是误差最大的那个：每个元素有各自的界，若 PyTorch 的误差更大则以其为准。</translation>
    </message>
    <message>
        <source>Error map</source>
        <translation>误差图</translation>
    </message>
    <message>
        <source>Absolute error of kernel − truth. A tile shows the largest error of its elements.</source>
        <translation>内核 − 真值的绝对误差。每格显示其中元素的最大误差。</translation>
    </message>
    <message>
        <source>Go to largest</source>
        <translation>跳到最大处</translation>
    </message>
    <message>
        <source>Zoom to the element with the largest error, or to the first that is NaN or infinite</source>
        <translation>放大到误差最大的元素，或第一个 NaN 或无穷的元素</translation>
    </message>
    <message>
        <source>Zoom to the largest error</source>
        <translation>放大到最大误差</translation>
    </message>
    <message>
        <source>Error by column</source>
        <translation>按列的误差</translation>
    </message>
    <message>
        <source>Absolute error of kernel and PyTorch against the truth.</source>
        <translation>内核与 PyTorch 相对真值的绝对误差。</translation>
    </message>
    <message>
        <source>Histogram</source>
        <translation>直方图</translation>
    </message>
    <message>
        <source>How many elements have which error; exact ones at the left, at 0.</source>
        <translation>各误差的元素个数；精确的在最左边 0 处。</translation>
    </message>
    <message>
        <source>Errors of the output</source>
        <translation>输出的误差</translation>
    </message>
    <message>
        <source>Errors of the input&apos;s gradient</source>
        <translation>输入梯度的误差</translation>
    </message>
    <message>
        <source>Map of the absolute errors by row and column</source>
        <translation>按行和列的绝对误差图</translation>
    </message>
    <message>
        <source>{name} at row {rows}, column {columns}: error {value}</source>
        <translation>{name} 第 {rows} 行第 {columns} 列：误差 {value}</translation>
    </message>
    <message>
        <source>{name} at rows {rows}, columns {columns}: error at most {value}</source>
        <translation>{name} 第 {rows} 行、第 {columns} 列：误差至多 {value}</translation>
    </message>
    <message>
        <source>Errors of {name}</source>
        <translation>{name} 的误差</translation>
    </message>
    <message>
        <source>Wheel or + and − zoom, drag or arrow keys move, double click or Home shows everything.</source>
        <translation>滚轮或 +、− 缩放，拖动或方向键移动，双击或 Home 显示全部。</translation>
    </message>
    <message>
        <source>Absolute errors of dw or db by column</source>
        <translation>dw 或 db 按列的绝对误差</translation>
    </message>
    <message>
        <source>Histogram of the absolute errors</source>
        <translation>绝对误差直方图</translation>
    </message>
    <message>
        <source>Whether every element of the kernel&apos;s result is within its tolerance of the truth.</source>
        <translation>内核结果的每个元素与真值之差是否都在容差之内。</translation>
    </message>
    <message>
        <source>✓ yes</source>
        <translation>✓ 是</translation>
    </message>
    <message>
        <source>✗ no</source>
        <translation>✗ 否</translation>
    </message>
    <message>
        <source>result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>y: output. dx, dw, db: gradients of input, weight and bias.</source>
        <translation>y：输出。dx、dw、db：输入、权重和偏置的梯度。</translation>
    </message>
    <message>
        <source>kernel − truth
max</source>
        <translation>内核 − 真值
最大</translation>
    </message>
    <message>
        <source>Largest absolute difference of the kernel&apos;s result from the result computed in float64.</source>
        <translation>内核结果与 float64 计算结果之差的最大绝对值。</translation>
    </message>
    <message>
        <source>mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Mean absolute difference of the kernel&apos;s result from the result computed in float64.</source>
        <translation>内核结果与 float64 计算结果之差的平均绝对值。</translation>
    </message>
    <message>
        <source>relative</source>
        <translation>相对</translation>
    </message>
    <message>
        <source>Largest difference from the float64 result, relative to that result.</source>
        <translation>与 float64 结果之差相对于该结果的最大值。</translation>
    </message>
    <message>
        <source>ULP</source>
        <translation>ULP</translation>
    </message>
    <message>
        <source>Largest difference in units in the last place of the result&apos;s dtype. Rounding alone costs half of one.</source>
        <translation>以结果数据类型的末位单位 (ULP) 计的最大差；仅舍入就占半个单位。</translation>
    </message>
    <message>
        <source>NaN, Inf</source>
        <translation>NaN, Inf</translation>
    </message>
    <message>
        <source>Elements that are NaN or infinite where the truth is not, or the other way round.</source>
        <translation>真值有限而结果为 NaN 或无穷（或反之）的元素。</translation>
    </message>
    <message>
        <source>torch − truth
max</source>
        <translation>torch − 真值
最大</translation>
    </message>
    <message>
        <source>The same for PyTorch&apos;s own layer_norm in the same dtype: PyTorch in half precision is no truth either.</source>
        <translation>PyTorch 自己的 layer_norm 在同一数据类型下的误差：半精度的 PyTorch 也不是真值。</translation>
    </message>
    <message>
        <source>kernel − torch
max</source>
        <translation>内核 − torch
最大</translation>
    </message>
    <message>
        <source>Largest difference between kernel and PyTorch. It does not say which of the two is wrong.</source>
        <translation>内核与 PyTorch 之间的最大差。它不说明两者谁错。</translation>
    </message>
    <message>
        <source>tolerance</source>
        <translation>容差</translation>
    </message>
    <message>
        <source>within</source>
        <translation>合格</translation>
    </message>
    <message>
        <source>tutorial&apos;s</source>
        <translation>教程</translation>
    </message>
    <message>
        <source>The tutorial&apos;s own check: every element within atol 1e-2, rtol 0 of PyTorch&apos;s.</source>
        <translation>教程自己的检查：每个元素与 PyTorch 之差不超过 atol 1e-2、rtol 0。</translation>
    </message>
    <message>
        <source>Errors of the four results</source>
        <translation>四个结果的误差</translation>
    </message>
    <message>
        <source>The worst of {repeats} backward passes counts.</source>
        <translation>取 {repeats} 次反向中最差的一次。</translation>
    </message>
    <message>
        <source>log</source>
        <translation>对数</translation>
    </message>
    <message>
        <source>Colours, errors by column and counts on a logarithmic scale</source>
        <translation>颜色、按列误差和计数使用对数刻度</translation>
    </message>
    <message>
        <source>Logarithmic scale</source>
        <translation>对数刻度</translation>
    </message>
    <message>
        <source>All</source>
        <translation>全部</translation>
    </message>
    <message>
        <source>All three pictures</source>
        <translation>三幅图一起</translation>
    </message>
    <message>
        <source>Map</source>
        <translation>误差图</translation>
    </message>
    <message>
        <source>Errors of y or dx, element by element</source>
        <translation>y 或 dx 逐元素的误差</translation>
    </message>
    <message>
        <source>Columns</source>
        <translation>按列</translation>
    </message>
    <message>
        <source>Errors of dw and db by column</source>
        <translation>dw 和 db 按列的误差</translation>
    </message>
    <message>
        <source>How often which error occurs</source>
        <translation>各种误差出现的频率</translation>
    </message>
    <message>
        <source>Add a kernel …</source>
        <translation>添加内核…</translation>
    </message>
    <message>
        <source>peers: {count}</source>
        <translation>对照：{count}</translation>
    </message>
    <message>
        <source>Timed in turns with the run&apos;s kernels, and drawn beside them: {names}</source>
        <translation>与本次运行的内核交替计时，并画在旁边：{names}</translation>
    </message>
    <message>
        <source>not here: {reason}</source>
        <translation>此处没有：{reason}</translation>
    </message>
    <message>
        <source>not here: no installed package provides it</source>
        <translation>此处没有：没有已安装的包提供它</translation>
    </message>
    <message>
        <source>the run&apos;s own strategy</source>
        <translation>本次运行的策略</translation>
    </message>
    <message>
        <source>compiles for some seconds at each new shape; Live does not wait for it</source>
        <translation>每遇到新形状要编译几秒；“实时”不等它</translation>
    </message>
    <message>
        <source>with its automatic settings</source>
        <translation>使用自动设置</translation>
    </message>
    <message>
        <source>Timed beside the run&apos;s kernels</source>
        <translation>与本次运行的内核一同计时</translation>
    </message>
    <message>
        <source>operations a byte</source>
        <translation>每字节运算次数</translation>
    </message>
    <message>
        <source>run {run} · {shape} · {provider} {direction} · {gbps} GB/s ({low}–{high}) · p50 {p50} · {share} of the ceiling&apos;s {ceiling} GB/s · {ratio} of PyTorch · {host} host, a call · {requested} GB/s requested</source>
        <translation>运行 {run} · {shape} · {provider} {direction} · {gbps} GB/s（{low}–{high}）· p50 {p50} · 占上限 {ceiling} GB/s 的 {share} · 为 PyTorch 的 {ratio} · 每次调用主机用时 {host} · 请求 {requested} GB/s</translation>
    </message>
    <message>
        <source>driver {version}</source>
        <translation>驱动 {version}</translation>
    </message>
    <message>
        <source>B − A, mean of rows</source>
        <translation>B − A，各行平均</translation>
    </message>
    <message>
        <source>Provenance</source>
        <translation>数据来源</translation>
    </message>
    <message>
        <source>Doubtful: {sentences}</source>
        <translation>存疑：{sentences}</translation>
    </message>
    <message>
        <source>{count} lines of {form}</source>
        <translation>{form} 的 {count} 行</translation>
    </message>
    <message>
        <source>no line of {form}</source>
        <translation>{form} 中没有对应的行</translation>
    </message>
    <message>
        <source>1 line of {form}</source>
        <translation>{form} 的 1 行</translation>
    </message>
    <message>
        <source>Code on the left</source>
        <translation>左侧的代码</translation>
    </message>
    <message>
        <source>Code on the right</source>
        <translation>右侧的代码</translation>
    </message>
    <message>
        <source>Click a line, or move to it with the arrow keys: what belongs to it is marked</source>
        <translation>单击一行，或用方向键移到一行：属于它的内容会被标出</translation>
    </message>
    <message>
        <source>{form}: {less} lines on the left alone, {more} on the right alone</source>
        <translation>{form}：只在左侧的 {less} 行，只在右侧的 {more} 行</translation>
    </message>
    <message>
        <source>The compiler names no place for this line of {form}</source>
        <translation>编译器没有给出 {form} 的这一行在源码中的位置</translation>
    </message>
    <message>
        <source>{count} live registers</source>
        <translation>{count} 个活跃寄存器</translation>
    </message>
    <message>
        <source>the other text has no such line</source>
        <translation>另一边没有这样的行</translation>
    </message>
    <message>
        <source>Stopped. It is compiled when a parameter changes or is chosen again.</source>
        <translation>已停止。参数改变或重新选择时会再编译。</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Run once under Nsight Compute: what memory, caches and SMs did, and where warps waited</source>
        <translation>在 Nsight Compute 下运行一次：显存、缓存和 SM 做了什么，warp 在哪里等待</translation>
    </message>
    <message>
        <source>compare with …</source>
        <translation>与…比较</translation>
    </message>
    <message>
        <source>what is on show now</source>
        <translation>现在显示的编译结果</translation>
    </message>
    <message>
        <source>Compile for every architecture</source>
        <translation>为每种架构编译</translation>
    </message>
    <message>
        <source>The setting for each of {count} architectures, one after another</source>
        <translation>把这一设置依次为 {count} 种架构编译</translation>
    </message>
    <message>
        <source>architecture</source>
        <translation>架构</translation>
    </message>
    <message>
        <source>{done} of {all}</source>
        <translation>{done} / {all}</translation>
    </message>
    <message>
        <source>What became of the kernel</source>
        <translation>内核成了什么样</translation>
    </message>
    <message>
        <source>Another compilation beside this one, line by line</source>
        <translation>把另一次编译放在旁边，逐行比较</translation>
    </message>
    <message>
        <source>Compare with</source>
        <translation>比较对象</translation>
    </message>
    <message>
        <source>What the compiler makes of the kernel for each architecture</source>
        <translation>编译器为每种架构由内核生成了什么</translation>
    </message>
    <message>
        <source>barrier off</source>
        <translation>关闭屏障</translation>
    </message>
    <message>
        <source>barrier on</source>
        <translation>打开屏障</translation>
    </message>
    <message>
        <source>warp {number}</source>
        <translation>warp {number}</translation>
    </message>
    <message>
        <source>A thread holds {each} elements, {adjacent} of them adjacent: {bytes} bytes</source>
        <translation>每个线程持有 {each} 个元素，其中 {adjacent} 个相邻：{bytes} 字节</translation>
    </message>
    <message>
        <source>{copies} threads hold the same element</source>
        <translation>{copies} 个线程持有同一个元素</translation>
    </message>
    <message>
        <source>{what}: warp {warp}, thread {thread}, its element {register}</source>
        <translation>{what}：warp {warp}，线程 {thread}，其中第 {register} 个元素</translation>
    </message>
    <message>
        <source>In shared memory: the number is the bank, of 32, in which an element begins</source>
        <translation>在共享内存中：数字是元素开始处的存储体编号，共 32 个</translation>
    </message>
    <message>
        <source>{what}: bank {bank}</source>
        <translation>{what}：存储体 {bank}</translation>
    </message>
    <message>
        <source>Tensor whose layout is drawn</source>
        <translation>画出其布局的张量</translation>
    </message>
    <message>
        <source>All warps, or one and its threads</source>
        <translation>所有 warp，或一个 warp 及其线程</translation>
    </message>
    <message>
        <source>Which thread holds which element</source>
        <translation>哪个线程持有哪个元素</translation>
    </message>
    <message>
        <source>The kernel of the forward pass</source>
        <translation>前向的内核</translation>
    </message>
    <message>
        <source>The kernel that computes dx and partial sums</source>
        <translation>计算 dx 和部分和的内核</translation>
    </message>
    <message>
        <source>The kernel that adds the partial sums up</source>
        <translation>把部分和相加的内核</translation>
    </message>
    <message>
        <source>Code</source>
        <translation>代码</translation>
    </message>
    <message>
        <source>Two forms beside each other</source>
        <translation>两种形式并排</translation>
    </message>
    <message>
        <source>Layouts</source>
        <translation>布局</translation>
    </message>
    <message>
        <source>Which thread of which warp holds which element</source>
        <translation>哪个 warp 的哪个线程持有哪个元素</translation>
    </message>
    <message>
        <source>Launch</source>
        <translation>启动</translation>
    </message>
    <message>
        <source>Grid, programs, warps and threads, and what each holds</source>
        <translation>网格、程序实例、warp 和线程，以及各自持有什么</translation>
    </message>
    <message>
        <source>GPUs</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>The kernel for every architecture, in a table</source>
        <translation>各种架构的内核，列成一张表</translation>
    </message>
    <message>
        <source>waiting until the worker has done what it is at …</source>
        <translation>等待工作进程完成手头的工作…</translation>
    </message>
    <message>
        <source>compiling …</source>
        <translation>正在编译…</translation>
    </message>
    <message>
        <source>this device</source>
        <translation>本机设备</translation>
    </message>
    <message>
        <source>The kernels in every form that the compiler gives them, for any architecture. No GPU is needed.</source>
        <translation>编译器生成的各种形式的内核，可针对任何架构。不需要 GPU。</translation>
    </message>
    <message>
        <source>Nothing to show</source>
        <translation>没有可显示的内容</translation>
    </message>
    <message>
        <source>What is compiled for; no such GPU need be here</source>
        <translation>编译所针对的架构；这里不必有这样的 GPU</translation>
    </message>
    <message>
        <source>Architecture that is compiled for</source>
        <translation>编译所针对的架构</translation>
    </message>
    <message>
        <source>From the grid to a thread</source>
        <translation>从网格到线程</translation>
    </message>
    <message>
        <source>the same setting</source>
        <translation>相同的设置</translation>
    </message>
    <message>
        <source>Python, with the functions that the kernel calls</source>
        <translation>Python，含内核所调用的函数</translation>
    </message>
    <message>
        <source>Triton&apos;s first form: whole tensors, no threads</source>
        <translation>Triton 的第一种形式：整个张量，没有线程</translation>
    </message>
    <message>
        <source>Triton&apos;s second form: which thread holds what</source>
        <translation>Triton 的第二种形式：哪个线程持有什么</translation>
    </message>
    <message>
        <source>LLVM&apos;s form: the program of one thread</source>
        <translation>LLVM 的形式：一个线程的程序</translation>
    </message>
    <message>
        <source>NVIDIA&apos;s virtual machine</source>
        <translation>NVIDIA 的虚拟机</translation>
    </message>
    <message>
        <source>The GPU&apos;s own machine code</source>
        <translation>GPU 自己的机器码</translation>
    </message>
    <message>
        <source>Source</source>
        <translation>源码</translation>
    </message>
    <message>
        <source>Bars: warps seen at a line, {share} at none of them</source>
        <translation>横条：在各行采样到的 warp，{share} 不在这些行上</translation>
    </message>
    <message>
        <source>Ran on {where} · bars: warps seen</source>
        <translation>在 {where} 上运行 · 横条：采样到的 warp</translation>
    </message>
    <message>
        <source>Bars: live registers, at most {peak}</source>
        <translation>横条：活跃寄存器，最多 {peak} 个</translation>
    </message>
    <message>
        <source>Bars: live registers, at most {peak}, by another assembler</source>
        <translation>横条：活跃寄存器，最多 {peak} 个，由另一汇编器得出</translation>
    </message>
    <message>
        <source>Nothing checked yet</source>
        <translation>尚未检查</translation>
    </message>
    <message>
        <source>Press Run: the kernels&apos; y, dx, dw and db are compared with PyTorch&apos;s and with float64.</source>
        <translation>请按“运行”：内核的 y、dx、dw、db 将与 PyTorch 和 float64 比较。</translation>
    </message>
    <message>
        <source>Show what was measured before on a GPU</source>
        <translation>显示以前在 GPU 上测得的结果</translation>
    </message>
    <message>
        <source>Do this experiment now</source>
        <translation>现在做这个实验</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>End the experiment that is being done</source>
        <translation>结束正在做的实验</translation>
    </message>
    <message>
        <source>Recorded</source>
        <translation>实测记录</translation>
    </message>
    <message>
        <source>on my parameters</source>
        <translation>用我的参数</translation>
    </message>
    <message>
        <source>With M, N and what else the form says; else on the experiment&apos;s own</source>
        <translation>用表单中的 M、N 等参数；否则用实验自己的参数</translation>
    </message>
    <message>
        <source>Without a GPU, Run does a small one on Triton&apos;s interpreter: real results, and no times.</source>
        <translation>没有 GPU 时，“运行”在 Triton 解释器中做一次小规模的实验：结果真实，没有用时。</translation>
    </message>
    <message>
        <source>The experiments</source>
        <translation>实验列表</translation>
    </message>
    <message>
        <source>Not done yet</source>
        <translation>还没有做</translation>
    </message>
    <message>
        <source>GPUs over time</source>
        <translation>各 GPU 随时间的情况</translation>
    </message>
    <message>
        <source>The experiment&apos;s chart</source>
        <translation>实验的图</translation>
    </message>
    <message>
        <source>Strategies as lanes over time</source>
        <translation>各策略随时间的泳道</translation>
    </message>
    <message>
        <source>Filter: words that stand in a row</source>
        <translation>筛选：行中的词语</translation>
    </message>
    <message>
        <source>Every word must occur in the row.</source>
        <translation>每个词语都须出现在该行中。</translation>
    </message>
    <message>
        <source>Every run</source>
        <translation>所有运行</translation>
    </message>
    <message>
        <source>sweeps</source>
        <translation>参数扫描</translation>
    </message>
    <message>
        <source>Every sweep, with the command that asked for it</source>
        <translation>所有参数扫描，以及提出它们的命令</translation>
    </message>
    <message>
        <source>experiments</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>Every experiment, with what it found</source>
        <translation>所有实验，以及它们的结果</translation>
    </message>
    <message>
        <source>recordings</source>
        <translation>实测记录</translation>
    </message>
    <message>
        <source>The gallery: everything that was recorded before</source>
        <translation>图库：以前的一切实测记录</translation>
    </message>
    <message>
        <source>Filter: words, or N&gt;=4096 dtype=float16 failed date&gt;=2026-01-31</source>
        <translation>筛选：词语，或 N&gt;=4096 dtype=float16 failed date&gt;=2026-01-31</translation>
    </message>
    <message>
        <source>Search: GROUP_SIZE_M 16, H200, barrier …</source>
        <translation>搜索：GROUP_SIZE_M 16、H200、屏障…</translation>
    </message>
    <message>
        <source>{shown} of {total}</source>
        <translation>{shown} / {total}</translation>
    </message>
    <message>
        <source>Undo the deletion of {count}</source>
        <translation>撤销删除（{count}）</translation>
    </message>
    <message>
        <source>Filter</source>
        <translation>筛选</translation>
    </message>
    <message>
        <source>Put back what was deleted last</source>
        <translation>放回上次删除的内容</translation>
    </message>
    <message>
        <source>The run that the others are compared with</source>
        <translation>其他运行与之比较的那次运行</translation>
    </message>
    <message>
        <source>Gallery</source>
        <translation>图库</translation>
    </message>
    <message>
        <source>Enter or a double click restores a run, F2 writes its note, Delete removes it</source>
        <translation>回车或双击恢复一次运行，F2 填写备注，Delete 删除</translation>
    </message>
    <message>
        <source>Enter or a double click shows a sweep, F2 writes its note, Delete removes it</source>
        <translation>按 Enter 或双击查看参数扫描，F2 填写备注，Delete 删除</translation>
    </message>
    <message>
        <source>Enter or a double click shows what an experiment found, Delete removes it</source>
        <translation>回车或双击显示实验的结果，Delete 删除</translation>
    </message>
    <message>
        <source>No runs yet</source>
        <translation>还没有运行</translation>
    </message>
    <message>
        <source>Every run is kept here with its request and its environment. Press Run to make the first.</source>
        <translation>每次运行连同其设置和环境都保存在这里。请按“运行”开始第一次。</translation>
    </message>
    <message>
        <source>Nothing here yet</source>
        <translation>这里还没有内容</translation>
    </message>
    <message>
        <source>Nothing matches</source>
        <translation>没有符合的内容</translation>
    </message>
    <message>
        <source>program {tile}: columns {first} … {last}, buffers: {buffers}, BLOCK_SIZE_M × BLOCK_SIZE_N = {block}</source>
        <translation>程序实例 {tile}：全部 {buffers} 个缓冲区的第 {first} … {last} 列，BLOCK_SIZE_M × BLOCK_SIZE_N = {block}</translation>
    </message>
    <message>
        <source>These columns ask for {own}, both stages for {all}; the least is {least}: x, dy and dx once.</source>
        <translation>这些列请求 {own}，两个阶段共请求 {all}；最少需要 {least}：x、dy 和 dx 各一次。</translation>
    </message>
    <message>
        <source>program {row}: three walks, each of {steps} × BLOCK_SIZE = {block} lanes</source>
        <translation>程序实例 {row}：走三遍，每遍 {steps} × BLOCK_SIZE = {block} 个通道</translation>
    </message>
    <message>
        <source>program {row}: lock and buffer {row} mod {group} = {lock}, BLOCK_SIZE_N = {block} lanes</source>
        <translation>程序实例 {row}：锁和缓冲区 {row} mod {group} = {lock}，BLOCK_SIZE_N = {block} 个通道</translation>
    </message>
    <message>
        <source>A row asks for {own}, the forward pass for {all}; the least is {least}: x and y once.</source>
        <translation>一行请求 {own}，整个前向请求 {all}；最少需要 {least}：x 和 y 各一次。</translation>
    </message>
    <message>
        <source>A row asks for {own}, both stages for {all}; the least is {least}: x, dy and dx once.</source>
        <translation>一行请求 {own}，两个阶段共请求 {all}；最少需要 {least}：x、dy 和 dx 各一次。</translation>
    </message>
    <message>
        <source>Filled is written, framed is read, grey is masked. Click, or use the arrow keys, to see the line of code.</source>
        <translation>填充为写，边框为读，灰色为屏蔽。单击或用方向键查看对应的代码行。</translation>
    </message>
    <message>
        <source>Loads and stores in their order</source>
        <translation>按顺序的读和写</translation>
    </message>
    <message>
        <source>How dx, dw and db follow, step by step</source>
        <translation>dx、dw 和 db 的逐步推导</translation>
    </message>
    <message>
        <source>The program of the forward pass: three walks over the row</source>
        <translation>前向的程序实例：把这一行走三遍</translation>
    </message>
    <message>
        <source>The program that computes dx and adds to the buffers of its lock</source>
        <translation>计算 dx、并累加到其锁的缓冲区的程序实例</translation>
    </message>
    <message>
        <source>The program that adds the buffers of some columns up</source>
        <translation>把若干列的缓冲区相加的程序实例</translation>
    </message>
    <message>
        <source>Roofline</source>
        <translation>Roofline</translation>
    </message>
    <message>
        <source>Both passes of the run on show, below what memory and arithmetic allow</source>
        <translation>所示运行的前向和反向，位于显存和算力所允许的上限之下</translation>
    </message>
    <message>
        <source>No times of a GPU</source>
        <translation>没有 GPU 的时间</translation>
    </message>
    <message>
        <source>A roofline needs a run that was timed, on a GPU whose clock and SMs are known.</source>
        <translation>Roofline 需要一次计过时的运行，且所用 GPU 的时钟频率和 SM 数已知。</translation>
    </message>
    <message>
        <source>Watch a recorded run</source>
        <translation>观看实测的运行</translation>
    </message>
    <message>
        <source>4096 × 1024 with GROUP_SIZE_M 16 on an H200</source>
        <translation>H200 上的 4096 × 1024，GROUP_SIZE_M 16</translation>
    </message>
    <message>
        <source>Choose a row: its programs run in Triton&apos;s interpreter, and each load and store is shown with its line.</source>
        <translation>选择一行：它的程序实例在 Triton 解释器中运行，每次读和写都与其代码行一起显示。</translation>
    </message>
    <message>
        <source>The kernels run in Triton&apos;s interpreter …</source>
        <translation>内核正在 Triton 解释器中运行…</translation>
    </message>
    <message>
        <source>The row whose forward and stage-1 program is shown; the one that is followed in the reduction</source>
        <translation>显示这一行的前向程序实例和阶段 1 程序实例；即归约中所跟踪的行</translation>
    </message>
    <message>
        <source>Row of x whose programs are shown</source>
        <translation>显示其程序实例的 x 的行</translation>
    </message>
    <message>
        <source>The column whose stage-2 program is shown</source>
        <translation>显示其阶段 2 程序实例的列</translation>
    </message>
    <message>
        <source>Column whose stage-2 program is shown</source>
        <translation>显示其阶段 2 程序实例的列</translation>
    </message>
    <message>
        <source>The slope is the faster of a copy and a + b → c in the same run, the level float32 arithmetic at its clock</source>
        <translation>斜线是同一次运行中拷贝与 a + b → c 里较快的一个，水平线是该时钟频率下的 float32 算力</translation>
    </message>
    <message>
        <source>The kernel&apos;s source</source>
        <translation>内核源代码</translation>
    </message>
    <message>
        <source>program {program} {action} {where}: offsets {offsets}, lanes {lanes}, masked {masked}; {file}, line {line}</source>
        <translation>程序实例 {program} {action} {where}：偏移地址 {offsets}，{lanes} 个通道，{masked} 个屏蔽；{file}，第 {line} 行</translation>
    </message>
    <message>
        <source>A file that you trust: its code is run</source>
        <translation>请选您信任的文件：其代码会被运行</translation>
    </message>
    <message>
        <source>The session had a kernel of somebody&apos;s own</source>
        <translation>会话中有一个自定义内核</translation>
    </message>
    <message>
        <source>{path}
sha256 {sha256}

To check it is to run its code. Open it only if you trust it.</source>
        <translation>{path}
sha256 {sha256}

检查它就要运行其中的代码。请只在信任它时打开。</translation>
    </message>
    <message>
        <source>Open it, and run its code</source>
        <translation>打开它，并运行其代码</translation>
    </message>
    <message>
        <source>A kernel of your own</source>
        <translation>您自己的内核</translation>
    </message>
    <message>
        <source>Open …</source>
        <translation>打开…</translation>
    </message>
    <message>
        <source>New …</source>
        <translation>新建…</translation>
    </message>
    <message>
        <source>Write a file with a plain Triton LayerNorm to begin from</source>
        <translation>写出一个含有简单 Triton LayerNorm 的文件，作为起点</translation>
    </message>
    <message>
        <source>Machine code</source>
        <translation>机器码</translation>
    </message>
    <message>
        <source>Phases</source>
        <translation>各段</translation>
    </message>
    <message>
        <source>Trace one pass, and show what the kernel stamps in Reduction: lnkernels.language.stamps.stamp</source>
        <translation>追踪一遍，并在“归约”中显示内核打下的时间戳：lnkernels.language.stamps.stamp</translation>
    </message>
    <message>
        <source>Hard inputs</source>
        <translation>刁钻输入</translation>
    </message>
    <message>
        <source>Save this version …</source>
        <translation>保存此版本…</translation>
    </message>
    <message>
        <source>The text of the chosen version, as it was run</source>
        <translation>所选版本运行时的文本</translation>
    </message>
    <message>
        <source>checking …</source>
        <translation>正在检查…</translation>
    </message>
    <message>
        <source>checked at every save</source>
        <translation>每次保存时检查</translation>
    </message>
    <message>
        <source>Versions of the kernel, newest first</source>
        <translation>内核的各个版本，最新的在前</translation>
    </message>
    <message>
        <source>version</source>
        <translation>版本</translation>
    </message>
    <message>
        <source>checked</source>
        <translation>检查于</translation>
    </message>
    <message>
        <source>Text of the chosen version</source>
        <translation>所选版本的文本</translation>
    </message>
    <message>
        <source>What the newest version printed</source>
        <translation>最新版本打印的内容</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>Errors</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Errors of the newest version, down to the element</source>
        <translation>最新版本的误差，细到每个元素</translation>
    </message>
    <message>
        <source>Printed</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>Of the last run: registers a thread, and the share of an SM&apos;s warps that fit at once (occupancy).</source>
        <translation>来自上一次运行：每线程寄存器数，以及一个 SM 可同时容纳的 warp 比例（占用率）。</translation>
    </message>
    <message>
        <source>launch grids</source>
        <translation>启动网格</translation>
    </message>
    <message>
        <source>Programs of the forward pass, of stage 1 and of stage 2.</source>
        <translation>前向、阶段 1 和阶段 2 的程序实例数。</translation>
    </message>
    <message>
        <source>masked lanes</source>
        <translation>屏蔽的通道</translation>
    </message>
    <message>
        <source>Lanes of a row&apos;s last block that hold no column: they wait, forward and in stage 1.</source>
        <translation>每行最后一块中不对应任何列的通道：它们在前向和阶段 1 中空等。</translation>
    </message>
    <message>
        <source>Bytes of the partial sums of dw and db. Within the L2 cache, additions to them are fast.</source>
        <translation>dw 和 db 部分和的字节数。放得进 L2 缓存时，累加很快。</translation>
    </message>
    <message>
        <source>Estimate of what the run with its check and timing needs.</source>
        <translation>对一次运行（含检查和计时）所需内存的估计。</translation>
    </message>
    <message>
        <source>{size}, {share} of L2</source>
        <translation>{size}，占 L2 的 {share}</translation>
    </message>
    <message>
        <source>{size} of {free} free</source>
        <translation>{size}，可用 {free}</translation>
    </message>
    <message>
        <source>What this launch means</source>
        <translation>这些启动设置意味着什么</translation>
    </message>
    <message>
        <source>{count} B spilled</source>
        <translation>溢出 {count} B</translation>
    </message>
    <message>
        <source>{share} of warps</source>
        <translation>{share} 的 warp</translation>
    </message>
    <message>
        <source>known after a run</source>
        <translation>运行后可知</translation>
    </message>
    <message>
        <source>Live</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>Run the kernels with these parameters (F5)</source>
        <translation>用这些参数运行内核 (F5)</translation>
    </message>
    <message>
        <source>Stop the run (Esc)</source>
        <translation>停止运行 (Esc)</translation>
    </message>
    <message>
        <source>Run whenever a parameter moves (Ctrl+L)</source>
        <translation>参数一变就运行 (Ctrl+L)</translation>
    </message>
    <message>
        <source>Requests worth one click</source>
        <translation>值得一键运行的设置</translation>
    </message>
    <message>
        <source>Presets</source>
        <translation>预设</translation>
    </message>
    <message>
        <source>Show or hide: {title}</source>
        <translation>显示或隐藏：{title}</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>{label}: automatic</source>
        <translation>{label}：自动</translation>
    </message>
    <message>
        <source>stage 2: {model}, measured {measured}, {error}</source>
        <translation>阶段 2：{model}，实测 {measured}，{error}</translation>
    </message>
    <message>
        <source>fitted to GROUP_SIZE_M {group_size_m}</source>
        <translation>按 GROUP_SIZE_M {group_size_m} 拟合</translation>
    </message>
    <message>
        <source>Number of buffers for which the fitted model predicts the same rows</source>
        <translation>拟合的模型按此缓冲区数量预测同样的行</translation>
    </message>
    <message>
        <source>the pass without recording: {model}, measured {measured}, {error}</source>
        <translation>不追踪的整个反向传播：{model}，实测 {measured}，{error}</translation>
    </message>
    <message>
        <source>resident programs: {programs:,}, those of the trace</source>
        <translation>{programs:,} 个驻留程序实例，取自该追踪</translation>
    </message>
    <message>
        <source>The model cannot be fitted to this trace: {reason}</source>
        <translation>模型无法按此追踪拟合：{reason}</translation>
    </message>
    <message>
        <source>Fit to this trace</source>
        <translation>按此追踪拟合</translation>
    </message>
    <message>
        <source>Find the model&apos;s parameters in this trace, and show the model&apos;s timeline beside it</source>
        <translation>由此追踪求出模型的参数，并在旁边显示模型的时间线</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Show the trace alone</source>
        <translation>只显示追踪</translation>
    </message>
    <message>
        <source>resident programs: {programs:,}, as in the recording “{title}”</source>
        <translation>{programs:,} 个驻留程序实例，与实测记录“{title}”相同</translation>
    </message>
    <message>
        <source>resident programs: {programs:,}, as its trace shows</source>
        <translation>{programs:,} 个驻留程序实例，与其追踪所见相同</translation>
    </message>
    <message>
        <source>GROUP_SIZE_M to predict</source>
        <translation>要预测的 GROUP_SIZE_M</translation>
    </message>
    <message>
        <source>fitting …</source>
        <translation>正在拟合…</translation>
    </message>
    <message>
        <source>What happens</source>
        <translation>正在发生什么</translation>
    </message>
    <message>
        <source>A model of the GPU&apos;s schedule</source>
        <translation>GPU 调度的模型</translation>
    </message>
    <message>
        <source>No row waits for another one&apos;s buffer, so there is no timeline of locks. Strategy locked has one.</source>
        <translation>没有哪一行要等别的行的缓冲区，所以没有锁的时间线。策略 locked 有。</translation>
    </message>
    <message>
        <source>Strategy {name} has no lock timeline</source>
        <translation>策略 {name} 没有锁的时间线</translation>
    </message>
    <message>
        <source>Followed row or lock</source>
        <translation>所跟踪的行或锁</translation>
    </message>
    <message>
        <source>{place}. row {row:,}</source>
        <translation>{place}. 第 {row:,} 行</translation>
    </message>
    <message>
        <source>Click a row or a lock to follow it.</source>
        <translation>点击一行或一把锁即可跟踪。</translation>
    </message>
    <message>
        <source>Source of the kernels</source>
        <translation>内核源码</translation>
    </message>
    <message>
        <source>{file}: where the followed program is</source>
        <translation>{file}：所跟踪程序实例所在的行</translation>
    </message>
    <message>
        <source>A row&apos;s start, its first try, and taking and giving back the lock are timed. Between the last two its lines are spread over the time.</source>
        <translation>一行的开始、首次尝试、取得锁和释放锁都有计时。后两者之间的各行代码平均分布在这段时间上。</translation>
    </message>
    <message>
        <source>phase</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>from</source>
        <translation>开始于</translation>
    </message>
    <message>
        <source>takes</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>▸ {phase}</source>
        <translation>▸ {phase}</translation>
    </message>
    <message>
        <source>since</source>
        <translation>自</translation>
    </message>
    <message>
        <source>for</source>
        <translation>已等</translation>
    </message>
    <message>
        <source>… and {count:,} more</source>
        <translation>… 还有 {count:,} 行</translation>
    </message>
    <message>
        <source>Save a stretch of the animation as GIF or MP4</source>
        <translation>将动画的一段保存为 GIF 或 MP4</translation>
    </message>
    <message>
        <source>Show the sums for dw, the gradient of the weight</source>
        <translation>显示 dw（权重梯度）的和</translation>
    </message>
    <message>
        <source>Show the sums for db, the gradient of the bias</source>
        <translation>显示 db（偏置梯度）的和</translation>
    </message>
    <message>
        <source>Click or drag to any time (Home, End). Z, Shift+Z and 0 zoom rows and time in, out and to all of them</source>
        <translation>单击或拖动到任一时刻（Home、End）。Z、Shift+Z 和 0 将行和时间放大、缩小、显示全部</translation>
    </message>
    <message>
        <source>GPU time that is shown in one second (+ and −)</source>
        <translation>现实一秒内显示的 GPU 时间（+ 和 −）</translation>
    </message>
    <message>
        <source>Row that is marked in every picture. Click a row to follow it; L follows its lock</source>
        <translation>在每幅图中标出的行。点击某行即可跟踪；按 L 跟踪它的锁</translation>
    </message>
    <message>
        <source>Rows in the order of their starts, of each lock, of each SM, or all together (G)</source>
        <translation>各行按开始的先后排列、按锁分组、按 SM 分组，或全部放在一起 (G)</translation>
    </message>
    <message>
        <source>Previous event</source>
        <translation>上一事件</translation>
    </message>
    <message>
        <source>Go to the previous event (Left); of the followed row, if there is one</source>
        <translation>到上一事件（左键）；若跟踪某行，则为该行的事件</translation>
    </message>
    <message>
        <source>Play</source>
        <translation>播放</translation>
    </message>
    <message>
        <source>Play (Space)</source>
        <translation>播放（空格）</translation>
    </message>
    <message>
        <source>Next event</source>
        <translation>下一事件</translation>
    </message>
    <message>
        <source>Go to the next event (Right); of the followed row, if there is one</source>
        <translation>到下一事件（右键）；若跟踪某行，则为该行的事件</translation>
    </message>
    <message>
        <source>Loop</source>
        <translation>循环</translation>
    </message>
    <message>
        <source>Start over at the end</source>
        <translation>到结尾后重新开始</translation>
    </message>
    <message>
        <source>Show the kernel&apos;s source and what is followed beside the animation (K)</source>
        <translation>在动画旁显示内核源码和所跟踪的对象 (K)</translation>
    </message>
    <message>
        <source>This moment as SVG</source>
        <translation>此刻存为 SVG</translation>
    </message>
    <message>
        <source>Save the picture as it is now, with its provenance</source>
        <translation>保存此刻的画面，附来源</translation>
    </message>
    <message>
        <source>Film</source>
        <translation>影片</translation>
    </message>
    <message>
        <source>all rows</source>
        <translation>所有行</translation>
    </message>
    <message>
        <source>row </source>
        <translation>行 </translation>
    </message>
    <message>
        <source>{time} a second</source>
        <translation>每秒 {time}</translation>
    </message>
    <message>
        <source>Numbers of dw</source>
        <translation>dw 的数字</translation>
    </message>
    <message>
        <source>Numbers of db</source>
        <translation>db 的数字</translation>
    </message>
    <message>
        <source>locks</source>
        <translation>锁</translation>
    </message>
    <message>
        <source>SMs</source>
        <translation>SM</translation>
    </message>
    <message>
        <source>starts</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Row to follow</source>
        <translation>要跟踪的行</translation>
    </message>
    <message>
        <source>Rows grouped</source>
        <translation>行的分组</translation>
    </message>
    <message>
        <source>Pause (Space)</source>
        <translation>暂停（空格）</translation>
    </message>
    <message>
        <source>The forward pass</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>The backward pass</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Speed, counted in the tutorial&apos;s bytes</source>
        <translation>速度，按教程的字节数计算</translation>
    </message>
    <message>
        <source>Share of what a copy, or a + b → c, of the same bytes reaches</source>
        <translation>占相同字节数的拷贝或 a + b → c 所达速度的比例</translation>
    </message>
    <message>
        <source>error</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>Largest error: of y, or of dw and db</source>
        <translation>最大误差：y 的，或 dw 和 db 的</translation>
    </message>
    <message>
        <source>queued for locks</source>
        <translation>为锁排队</translation>
    </message>
    <message>
        <source>Mean time that a row queues behind holders of its lock, traced once a setting: backward, locked</source>
        <translation>一行在锁的持有者之后排队的平均时间，每个设置追踪一次：反向，locked</translation>
    </message>
    <message>
        <source>trying locks</source>
        <translation>尝试取锁</translation>
    </message>
    <message>
        <source>Mean time that a row tries its lock while it is free, traced once a setting: backward, locked</source>
        <translation>锁空闲时一行尝试取锁的平均时间，每个设置追踪一次：反向，locked</translation>
    </message>
    <message>
        <source>Registers a thread, of the kernel that takes most</source>
        <translation>每线程寄存器，取用得最多的内核</translation>
    </message>
    <message>
        <source>Resident warps of those that an SM can hold, least of the kernels</source>
        <translation>驻留 warp 占一个 SM 可容纳的比例，取各内核中最低的</translation>
    </message>
    <message>
        <source>Sweeps worth one click</source>
        <translation>值得一键运行的参数扫描</translation>
    </message>
    <message>
        <source>Own sweep</source>
        <translation>自定义参数扫描</translation>
    </message>
    <message>
        <source>Run sweep</source>
        <translation>运行参数扫描</translation>
    </message>
    <message>
        <source>Try every setting; rows are kept as they come</source>
        <translation>尝试每一个设置；结果随到随存</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Kept sweeps</source>
        <translation>已保存的参数扫描</translation>
    </message>
    <message>
        <source>Look at a sweep again, or resume one that did not end</source>
        <translation>再次查看某次参数扫描，或继续未完成的参数扫描</translation>
    </message>
    <message>
        <source>Published and recorded figures, each source with dashes of its own</source>
        <translation>公开发表的和实测记录的数据，每个来源有自己的虚线</translation>
    </message>
    <message>
        <source>Go on</source>
        <translation>继续</translation>
    </message>
    <message>
        <source>Hand out settings again</source>
        <translation>重新开始分发设置</translation>
    </message>
    <message>
        <source>Pause</source>
        <translation>暂停</translation>
    </message>
    <message>
        <source>Hand out no more settings for now</source>
        <translation>暂时不再分发设置</translation>
    </message>
    <message>
        <source>What is shown</source>
        <translation>显示内容</translation>
    </message>
    <message>
        <source>Whose map is shown</source>
        <translation>显示哪一个的热图</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>The sweep&apos;s workers are starting …</source>
        <translation>参数扫描的工作进程正在启动…</translation>
    </message>
    <message>
        <source>A sweep is using the GPU, also while it is paused. Cancel it to run something else.</source>
        <translation>参数扫描正在占用 GPU，暂停时也不释放。要运行其他内容，请取消参数扫描。</translation>
    </message>
    <message>
        <source>Paused; settings that are under way still end.</source>
        <translation>已暂停；正在进行的设置仍会完成。</translation>
    </message>
    <message>
        <source>The parameter that takes several values</source>
        <translation>取多个值的参数</translation>
    </message>
    <message>
        <source>Parameter to vary</source>
        <translation>要变化的参数</translation>
    </message>
    <message>
        <source>A list A,B,C, a range START:STOP:STEP with its STOP, or START:STOP:x2, which doubles; automatic is a value, too</source>
        <translation>列表 A,B,C；区间 START:STOP:STEP（含 STOP）；或每次加倍的 START:STOP:x2；automatic 也是一个值</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>A search compares times, and the interpreter&apos;s mean nothing: choose a GPU.</source>
        <translation>搜索比较的是时间，而解释器的时间没有意义：请选择 GPU。</translation>
    </message>
    <message>
        <source>Optuna proposes settings of one strategy, and learns from each; it ends when nothing better comes</source>
        <translation>Optuna 为一种策略提出设置，并从每次结果中学习；不再有更好的设置时结束</translation>
    </message>
    <message>
        <source>Vary</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>and</source>
        <translation>以及</translation>
    </message>
    <message>
        <source>settings at most</source>
        <translation>最多设置数</translation>
    </message>
    <message>
        <source>Chosen from</source>
        <translation>选自</translation>
    </message>
    <message>
        <source>Strategies</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Beside them</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>Passes</source>
        <translation>方向</translation>
    </message>
    <message>
        <source>Timing</source>
        <translation>计时</translation>
    </message>
    <message>
        <source>Runs on</source>
        <translation>运行于</translation>
    </message>
    <message>
        <source>Held fixed</source>
        <translation>固定不变</translation>
    </message>
    <message>
        <source>quick: ±1 %</source>
        <translation>快速：±1 %</translation>
    </message>
    <message>
        <source>normal: ±0.25 %</source>
        <translation>一般：±0.25 %</translation>
    </message>
    <message>
        <source>thorough: ±0.1 %</source>
        <translation>仔细：±0.1 %</translation>
    </message>
    <message>
        <source>all {count} GPUs</source>
        <translation>全部 {count} 块 GPU</translation>
    </message>
    <message>
        <source>One setting at a time on each; the device stands in every row</source>
        <translation>每块 GPU 上一次一个设置；每个结果都注明设备</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>lock waits, too</source>
        <translation>同时测等锁时间</translation>
    </message>
    <message>
        <source>On a GPU, trace each setting of strategy locked once: how long a row queues for its lock, and tries it</source>
        <translation>在 GPU 上把策略 locked 的每个设置追踪一次：一行为锁排队多久，尝试取锁多久</translation>
    </message>
    <message>
        <source>From Parameters</source>
        <translation>取自参数面板</translation>
    </message>
    <message>
        <source>Hold fixed what the Parameters pane shows</source>
        <translation>固定为参数面板中显示的值</translation>
    </message>
    <message>
        <source>Grid</source>
        <translation>网格</translation>
    </message>
    <message>
        <source>Every combination of the values of one or two parameters</source>
        <translation>一个或两个参数取值的所有组合</translation>
    </message>
    <message>
        <source>{settings}; the rest is automatic</source>
        <translation>{settings}；其余自动</translation>
    </message>
    <message>
        <source>Time and check this pass</source>
        <translation>对这一方向计时并检查</translation>
    </message>
    <message>
        <source>How well each median is to be known; normal times each figure for 0.2 s at least, thorough for 0.5 s</source>
        <translation>每个中位数要多精确；“一般”每项至少计时 0.2 秒，“仔细”0.5 秒</translation>
    </message>
    <message>
        <source>Effort</source>
        <translation>计时精度</translation>
    </message>
    <message>
        <source>Empty for the window&apos;s device; tcp://HOST:PORT of a Dask scheduler; local:4 for four workers here</source>
        <translation>留空表示窗口所用的设备；tcp://HOST:PORT 为 Dask 调度器；local:4 为本机上的四个工作进程</translation>
    </message>
    <message>
        <source>It ends sooner where it no longer finds better: 40 settings without a surely faster one</source>
        <translation>若不再找到更好的，就提前结束：连续 40 个设置中没有确实更快的</translation>
    </message>
    <message>
        <source>All in History …</source>
        <translation>全部见“历史”…</translation>
    </message>
    <message>
        <source>Save the sweep on show …</source>
        <translation>保存正在显示的参数扫描…</translation>
    </message>
    <message>
        <source>The sweep of {date} stopped at {done} of {total} rows. To go on, open it in History.</source>
        <translation>{date} 的参数扫描停在 {done} / {total} 行。要继续，请在“历史”中打开它。</translation>
    </message>
    <message>
        <source>about {time} left</source>
        <translation>约剩 {time}</translation>
    </message>
    <message>
        <source>paused</source>
        <translation>已暂停</translation>
    </message>
    <message>
        <source>Choose a preset, or one or two parameters and their values, and press Run sweep. Every setting gets a point or a cell: timed, wrong, refused, out of resources or too slow.</source>
        <translation>选择一个预设，或选择一两个参数及其取值，然后按“运行参数扫描”。每个设置都有一个点或一个格子：已计时、结果错误、被拒绝、资源不足或超时。</translation>
    </message>
    <message>
        <source>The interpreter&apos;s times mean nothing, so none are shown: look at the error.</source>
        <translation>解释器的时间没有意义，因此不显示：请看误差。</translation>
    </message>
    <message>
        <source>trial</source>
        <translation>尝试序号</translation>
    </message>
    <message>
        <source>Curves of the sweep</source>
        <translation>参数扫描曲线</translation>
    </message>
    <message>
        <source>Map of the sweep</source>
        <translation>参数扫描热图</translation>
    </message>
    <message>
        <source>The setting under the cursor</source>
        <translation>光标处的设置</translation>
    </message>
    <message>
        <source>No sweep yet</source>
        <translation>还没有参数扫描</translation>
    </message>
    <message>
        <source>Cancelled; the rows so far are kept.</source>
        <translation>已取消；已有结果会保留。</translation>
    </message>
    <message>
        <source>It failed; the rows so far are kept.</source>
        <translation>失败；已有结果会保留。</translation>
    </message>
    <message>
        <source>Finished in {time}.</source>
        <translation>完成，用时 {time}。</translation>
    </message>
    <message>
        <source>{source} ({kind})</source>
        <translation>{source}（{kind}）</translation>
    </message>
    <message>
        <source>{share} of ceiling</source>
        <translation>占上限 {share}</translation>
    </message>
    <message>
        <source>{status}: {reason}</source>
        <translation>{status}：{reason}</translation>
    </message>
    <message>
        <source>On the interpreter a sweep has no registers and no occupancy: look at a single run, or sweep on a GPU.</source>
        <translation>在解释器上，参数扫描没有寄存器数和占用率：请看单次运行，或在 GPU 上扫描。</translation>
    </message>
    <message>
        <source>No time for {provider}: {reason}</source>
        <translation>{provider} 没有时间：{reason}</translation>
    </message>
    <message>
        <source>samples</source>
        <translation>样本</translation>
    </message>
    <message>
        <source>Repetitions as small dots; the bar reaches from the 20th to the 80th percentile</source>
        <translation>每次重复画成小点；竖条从第 20 到第 80 百分位</translation>
    </message>
    <message>
        <source>Show single repetitions</source>
        <translation>显示单次重复</translation>
    </message>
    <message>
        <source>Providers without a time, and why</source>
        <translation>没有时间的实现及其原因</translation>
    </message>
    <message>
        <source>No speeds from the interpreter</source>
        <translation>解释器没有速度可言</translation>
    </message>
    <message>
        <source>Triton&apos;s interpreter ran the kernels on the CPU. Its times say nothing about a GPU, so none are shown.</source>
        <translation>内核由 Triton 解释器在 CPU 上运行。它的时间与 GPU 无关，因此不显示。</translation>
    </message>
    <message>
        <source>A wrong result gets no time. Beyond tolerance in the last run: {names}. See Correctness.</source>
        <translation>错误的结果不计时。上次运行超出容差：{names}。见“正确性”。</translation>
    </message>
    <message>
        <source>Not measured here: {kind} on {device}. This machine has only Triton&apos;s interpreter.</source>
        <translation>并非在此测量：{kind}，{device}。本机只有 Triton 解释器。</translation>
    </message>
    <message>
        <source>Colour says whose kernels, circle and triangle say forward and backward</source>
        <translation>颜色表示是谁的内核，圆和三角表示前向和反向</translation>
    </message>
    <message>
        <source>Throughput of every run</source>
        <translation>每次运行的吞吐量</translation>
    </message>
    <message>
        <source>No speed without correctness</source>
        <translation>不正确，不谈速度</translation>
    </message>
    <message>
        <source>Nothing measured yet</source>
        <translation>尚未测量</translation>
    </message>
    <message>
        <source>Press Run: the kernels are timed after their results are checked.</source>
        <translation>请按“运行”：先检查结果，再给内核计时。</translation>
    </message>
    <message>
        <source>No time for {provider} in run {run}: {reason}</source>
        <translation>运行 {run} 中 {provider} 没有时间：{reason}</translation>
    </message>
    <message>
        <source>The default run: 4096×8192</source>
        <translation>默认运行：4096×8192</translation>
    </message>
    <message>
        <source>The tutorial&apos;s check: 1151×8192</source>
        <translation>教程的检查：1151×8192</translation>
    </message>
    <message>
        <source>The lecture&apos;s problem: 4×8, GROUP_SIZE_M 2</source>
        <translation>讲座的例题：4×8，GROUP_SIZE_M 2</translation>
    </message>
    <message>
        <source>8×8, GROUP_SIZE_M 2, float16 buffers: each store rounds</source>
        <translation>8×8、GROUP_SIZE_M 2、float16 缓冲区：每次写入都舍入</translation>
    </message>
    <message>
        <source>64×64, GROUP_SIZE_M 4, float16 buffers</source>
        <translation>64×64、GROUP_SIZE_M 4、float16 缓冲区</translation>
    </message>
    <message>
        <source>64×64, GROUP_SIZE_M 4, float32 buffers</source>
        <translation>64×64、GROUP_SIZE_M 4、float32 缓冲区</translation>
    </message>
    <message>
        <source>A new worker is being started.</source>
        <translation>正在启动新的工作进程。</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>{kind}, GROUP_SIZE_M {size}</source>
        <translation>{kind}，GROUP_SIZE_M {size}</translation>
    </message>
    <message>
        <source>Animation of the reduction</source>
        <translation>归约的动画</translation>
    </message>
    <message>
        <source>Choose a shape in Parameters: its reduction is shown here.</source>
        <translation>请在“参数”中选择形状：其归约过程显示在这里。</translation>
    </message>
    <message>
        <source>waiting, the longest first</source>
        <translation>等待的行，最久的在前</translation>
    </message>
    <message>
        <source>Computing {computing:,}, queued {queued:,}, trying {trying:,}, holding {holding:,}, done {done:,} of {rows:,}.</source>
        <translation>计算 {computing:,}，排队 {queued:,}，尝试 {trying:,}，持锁 {holding:,}，完成 {done:,} / {rows:,}。</translation>
    </message>
    <message>
        <source>Nobody holds lock {lock}. Trying it: {trying:,}; queued: {queued:,}; rows in its buffer: {added:,}.</source>
        <translation>锁 {lock} 无人持有。正在尝试：{trying:,}；排队：{queued:,}；它的缓冲区中的行：{added:,}。</translation>
    </message>
    <message>
        <source>Row {row} queues for lock {lock}, held by row {holder}; rows in the queue: {queued:,}.</source>
        <translation>第 {row} 行为锁 {lock} 排队，锁由第 {holder} 行持有；队列中的行：{queued:,}。</translation>
    </message>
    <message>
        <source>Row {row} holds lock {lock}: the count is {count:,}, so it loads buffer {lock}, adds, stores.</source>
        <translation>第 {row} 行持有锁 {lock}：计数为 {count:,}，因此读取缓冲区 {lock}、累加、写回。</translation>
    </message>
    <message>
        <source>Row {row} gives lock {lock} back; one of {waiting:,} rows in the queue can take it.</source>
        <translation>第 {row} 行释放锁 {lock}；排队的 {waiting:,} 行之一可以取得。</translation>
    </message>
    <message>
        <source>Stage 2 adds the buffers column by column; tiles done: {done:,} of {tiles:,}.</source>
        <translation>阶段 2 逐列累加缓冲区；已完成分块：{done:,} / {tiles:,}。</translation>
    </message>
    <message>
        <source>Row {row:,} · {lock} · rows before it: {before:,} · SM {sm}</source>
        <translation>第 {row:,} 行 · {lock} · 之前有 {before:,} 行 · SM {sm}</translation>
    </message>
    <message>
        <source>Row {row} of {kernel}: {state}.</source>
        <translation>{kernel} 的第 {row} 行：{state}。</translation>
    </message>
    <message>
        <source>Row {holder:,} holds lock {lock}. Queued: {queued:,}; rows in its buffer: {added:,}.</source>
        <translation>第 {holder:,} 行持有锁 {lock}。排队：{queued:,}；它的缓冲区中的行：{added:,}。</translation>
    </message>
    <message>
        <source>Nothing has started yet.</source>
        <translation>还没有任何行开始。</translation>
    </message>
    <message>
        <source>Row {row} tries lock {lock}, which nobody holds.</source>
        <translation>第 {row} 行尝试锁 {lock}，无人持有。</translation>
    </message>
    <message>
        <source>Row {row} queues for lock {lock}, which another row is about to take.</source>
        <translation>第 {row} 行为锁 {lock} 排队，另一行即将取得这把锁。</translation>
    </message>
    <message>
        <source>Row {row} queues for lock {lock}, held by row {holder}.</source>
        <translation>第 {row} 行为锁 {lock} 排队，锁由第 {holder} 行持有。</translation>
    </message>
    <message>
        <source>Row {row} holds lock {lock}: the count is 0, so it stores without adding.</source>
        <translation>第 {row} 行持有锁 {lock}：计数为 0，因此直接写入而不累加。</translation>
    </message>
    <message>
        <source>All rows are in the buffers: stage 2 can begin.</source>
        <translation>所有行都已进入缓冲区：阶段 2 可以开始。</translation>
    </message>
    <message>
        <source>Row {row} gives lock {lock} back; nobody queues for it.</source>
        <translation>第 {row} 行释放锁 {lock}；无人排队。</translation>
    </message>
    <message>
        <source>Row {row} gives lock {lock} back; row {next} can take it.</source>
        <translation>第 {row} 行释放锁 {lock}；第 {next} 行可以取得。</translation>
    </message>
    <message>
        <source>Both stages are done: dw and db are complete.</source>
        <translation>两个阶段都已完成：dw 和 db 已齐备。</translation>
    </message>
    <message>
        <source>tries {tries:,}</source>
        <translation>尝试 {tries:,} 次</translation>
    </message>
    <message>
        <source>Lock {lock}</source>
        <translation>锁 {lock}</translation>
    </message>
    <message>
        <source>count {count:,}</source>
        <translation>计数 {count:,}</translation>
    </message>
    <message>
        <source>queued {count:,}</source>
        <translation>排队 {count:,}</translation>
    </message>
    <message>
        <source>trying {count:,}</source>
        <translation>尝试 {count:,}</translation>
    </message>
    <message>
        <source>Tile {tile}: columns {first:,} to {last:,}, {length}, on SM {sm}</source>
        <translation>分块 {tile}：第 {first:,} 到 {last:,} 列，{length}，在 SM {sm} 上</translation>
    </message>
    <message>
        <source>buffers read {read:,} of {buffers:,}, if its steps are equally long: only its start and its end are timed</source>
        <translation>若各步等长，已读缓冲区 {read:,} / {buffers:,}：只有开始和结束有计时</translation>
    </message>
    <message>
        <source>Row {row} has not started: no place on the GPU is free yet.</source>
        <translation>第 {row} 行尚未开始：GPU 上还没有空位。</translation>
    </message>
    <message>
        <source>Row {row} computes its dx and its partial sums.</source>
        <translation>第 {row} 行正在计算它的 dx 和部分和。</translation>
    </message>
    <message>
        <source>Row {row} is in buffer {lock}; it has given lock {lock} back.</source>
        <translation>第 {row} 行已进入缓冲区 {lock}；它已释放锁 {lock}。</translation>
    </message>
    <message>
        <source>Row {row} starts: it computes its dx and its partial sums.</source>
        <translation>第 {row} 行开始：计算它的 dx 和部分和。</translation>
    </message>
    <message>
        <source>held by row {row:,}</source>
        <translation>由第 {row:,} 行持有</translation>
    </message>
    <message>
        <source>nobody holds it</source>
        <translation>无人持有</translation>
    </message>
    <message>
        <source>{count:,} {state}</source>
        <translation>{count:,} {state}</translation>
    </message>
    <message>
        <source>recording made the pass no longer ({share})</source>
        <translation>追踪未使整个反向传播变长（{share}）</translation>
    </message>
    <message>
        <source>compute {compute}, hold {hold}, hand-over {hand_over}</source>
        <translation>计算 {compute}，持锁 {hold}，交接 {hand_over}</translation>
    </message>
    <message>
        <source>Stage 1 {stage1} · peak queue {peak:,} · a row queues {queued} ({share_queued}) · tries {trying} ({share_trying})</source>
        <translation>阶段 1 {stage1} · 最长队列 {peak:,} · 每行排队 {queued}（{share_queued}） · 尝试 {trying}（{share_trying}）</translation>
    </message>
    <message>
        <source>Rows that queue: {rows:,}; 95 % of all below {queued_p95}, at most {queued_max}. Trying: 95 % below {trying_p95}, at most {trying_max}. Busiest lock: {lock}, held for {share} of stage 1. Stage 2: {stage2}.</source>
        <translation>排队的行：{rows:,}；所有行的 95 % 低于 {queued_p95}，最长 {queued_max}。尝试：95 % 低于 {trying_p95}，最长 {trying_max}。最忙的锁：{lock}，在阶段 1 中被持有 {share}。阶段 2：{stage2}。</translation>
    </message>
    <message>
        <source>sums match the run&apos;s within {apart}</source>
        <translation>和与本次运行的相差在 {apart} 之内</translation>
    </message>
    <message>
        <source>lanes: {count}</source>
        <translation>泳道：{count}</translation>
    </message>
    <message>
        <source>recording made the pass {share} longer</source>
        <translation>追踪使整个反向传播变长 {share}</translation>
    </message>
    <message>
        <source>Programs ran one after another: an order of events, no times</source>
        <translation>程序实例依次运行：只有事件的先后，没有时间</translation>
    </message>
    <message>
        <source>From the first stamp to the last: {length}</source>
        <translation>从第一个时间戳到最后一个：{length}</translation>
    </message>
    <message>
        <source>Stage 1 {stage1} · no row queues · a row tries its free lock for {trying} ({share_trying})</source>
        <translation>阶段 1 {stage1} · 没有行排队 · 每行尝试取空闲的锁 {trying}（{share_trying}）</translation>
    </message>
    <message>
        <source>sums are exactly the run&apos;s</source>
        <translation>和与运行结果完全相同</translation>
    </message>
    <message>
        <source>sums {apart} from the run&apos;s: more than rounding explains</source>
        <translation>和与本次运行的相差 {apart}：超过舍入所能解释</translation>
    </message>
    <message>
        <source>a run without tracing, in another order, differs by up to {apart}</source>
        <translation>不追踪、顺序不同的一次运行，最多相差 {apart}</translation>
    </message>
    <message>
        <source>stamps of {kernel}</source>
        <translation>{kernel} 的时间戳</translation>
    </message>
    <message>
        <source>the first {rows:,} rows</source>
        <translation>前 {rows:,} 行</translation>
    </message>
    <message>
        <source>model, resident programs: {programs:,}</source>
        <translation>模型：{programs:,} 个驻留程序实例</translation>
    </message>
    <message>
        <source>times to {step}</source>
        <translation>时间精确到 {step}</translation>
    </message>
    <message>
        <source>times to {step}, refined by the SMs&apos; clocks</source>
        <translation>时间精确到 {step}，并由各 SM 的时钟细化</translation>
    </message>
    <message>
        <source>times to {step} only: no finer clock could be read</source>
        <translation>时间只精确到 {step}：读不到更细的时钟</translation>
    </message>
    <message>
        <source>no clock: events are counted, only their order is true</source>
        <translation>没有时钟：只数事件，只有先后次序是真实的</translation>
    </message>
    <message>
        <source>times of a model</source>
        <translation>模型的时间</translation>
    </message>
    <message>
        <source>sums are not finite</source>
        <translation>和不是有限数</translation>
    </message>
    <message>
        <source>a run without tracing gave the same dw and db</source>
        <translation>不追踪的一次运行得到相同的 dw 和 db</translation>
    </message>
    <message>
        <source>locks: {count}</source>
        <translation>锁：{count}</translation>
    </message>
    <message>
        <source>GROUP_SIZE_M {group_size_m}, buffers in use: {used}, one a row, no contention</source>
        <translation>GROUP_SIZE_M {group_size_m}，使用 {used} 个缓冲区：每行一个，没有争用</translation>
    </message>
    <message>
        <source>A film&apos;s file ends in .gif or .mp4, not in “{suffix}”.</source>
        <translation>影片文件以 .gif 或 .mp4 结尾，不能以“{suffix}”结尾。</translation>
    </message>
    <message>
        <source>ffmpeg gave up with status {status}: {output}</source>
        <translation>ffmpeg 以状态 {status} 放弃：{output}</translation>
    </message>
    <message>
        <source>Stopped; no file was written.</source>
        <translation>已停止；没有写入文件。</translation>
    </message>
    <message>
        <source>Stage 1: partial sums of each row ({formula})</source>
        <translation>阶段 1：每行的部分和 ({formula})</translation>
    </message>
    <message>
        <source>added to buffer row mod {group_size_m}</source>
        <translation>累加到缓冲区 行 mod {group_size_m}</translation>
    </message>
    <message>
        <source>Stage 2: the buffers are added, column by column</source>
        <translation>阶段 2：逐列累加各缓冲区</translation>
    </message>
    <message>
        <source>rounded to {digits} decimals</source>
        <translation>舍入到 {digits} 位小数</translation>
    </message>
    <message>
        <source>buffer {lock}</source>
        <translation>缓冲区 {lock}</translation>
    </message>
    <message>
        <source>{result} of the run</source>
        <translation>本次运行的 {result}</translation>
    </message>
    <message>
        <source>row {row}</source>
        <translation>第 {row} 行</translation>
    </message>
    <message>
        <source>has read about {read} of {buffers} buffers</source>
        <translation>约已读缓冲区 {read} / {buffers}</translation>
    </message>
    <message>
        <source>press Run</source>
        <translation>请按“运行”</translation>
    </message>
    <message>
        <source>{result}, untraced</source>
        <translation>{result}，不追踪</translation>
    </message>
    <message>
        <source>another run</source>
        <translation>另一次运行</translation>
    </message>
    <message>
        <source>row {row} adds</source>
        <translation>第 {row} 行累加</translation>
    </message>
    <message>
        <source>adds buffers 0 to {last}</source>
        <translation>累加缓冲区 0 到 {last}</translation>
    </message>
    <message>
        <source>row {row} stores</source>
        <translation>第 {row} 行写入</translation>
    </message>
    <message>
        <source>computing</source>
        <translation>计算中</translation>
    </message>
    <message>
        <source>the next piece</source>
        <translation>下一块</translation>
    </message>
    <message>
        <source>queued, or waiting for others</source>
        <translation>排队，或等待其他程序实例</translation>
    </message>
    <message>
        <source>trying a free lock</source>
        <translation>尝试取空闲的锁</translation>
    </message>
    <message>
        <source>adding into memory</source>
        <translation>向显存累加</translation>
    </message>
    <message>
        <source>at most {most:,}</source>
        <translation>最多 {most:,}</translation>
    </message>
    <message>
        <source>Programs at work</source>
        <translation>正在工作的程序实例</translation>
    </message>
    <message>
        <source>Rows now</source>
        <translation>此刻的各行</translation>
    </message>
    <message>
        <source>Counts</source>
        <translation>计数</translation>
    </message>
    <message>
        <source>Buffers</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>{rows:,} rows a cell</source>
        <translation>每格 {rows:,} 行</translation>
    </message>
    <message>
        <source>Rows of each lane</source>
        <translation>各泳道的行</translation>
    </message>
    <message>
        <source>Rows of each lock</source>
        <translation>各锁的行</translation>
    </message>
    <message>
        <source>Rows of each SM</source>
        <translation>各 SM 的行</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>各行</translation>
    </message>
    <message>
        <source>queued: 0</source>
        <translation>排队：0</translation>
    </message>
    <message>
        <source>{rows}, by their start</source>
        <translation>{rows}，按开始的先后</translation>
    </message>
    <message>
        <source>It has lnexplorer {theirs}, and this side {ours}: there, pip install . in a clone of {ours}.</source>
        <translation>它有 lnexplorer {theirs}，而这一边是 {ours}：请在那里于 {ours} 的克隆目录中运行 pip install .。</translation>
    </message>
    <message>
        <source>A search needs Optuna: pip install &apos;.[search]&apos; in the clone.</source>
        <translation>搜索需要 Optuna：请在克隆的目录中运行 pip install &apos;.[search]&apos;。</translation>
    </message>
    <message>
        <source>{host} has no room for what is compiled ({cause}). Make room there, or set the variable there to a folder that can be written.</source>
        <translation>{host} 没有空间存放编译结果（{cause}）。请在那里腾出空间，或在那里把该变量设为一个可写的文件夹。</translation>
    </message>
    <message>
        <source>whole program</source>
        <translation>整个程序实例</translation>
    </message>
    <message>
        <source>all results are within tolerance</source>
        <translation>所有结果都在容差之内</translation>
    </message>
    <message>
        <source>Own settings</source>
        <translation>自定义设置</translation>
    </message>
    <message>
        <source>Default experiment</source>
        <translation>默认实验</translation>
    </message>
    <message>
        <source>on</source>
        <translation>开</translation>
    </message>
    <message>
        <source>{given} is CUDA: name a .py file that builds it, with torch.utils.cpp_extension.load, and has layer_norm</source>
        <translation>{given} 是 CUDA 文件：请指定一个 .py 文件，用 torch.utils.cpp_extension.load 编译它，并提供 layer_norm</translation>
    </message>
    <message>
        <source>{package}/__init__.py was left out while the file was loaded: {why}</source>
        <translation>加载文件时略去了 {package}/__init__.py：{why}</translation>
    </message>
    <message>
        <source>its backward pass is not written: {why}</source>
        <translation>没有写出它的反向传播：{why}</translation>
    </message>
    <message>
        <source>Who is next?</source>
        <translation>下一个是谁？</translation>
    </message>
    <message>
        <source>{share} of the hand-overs give the lock to a row that has waited less than another. Row {row} waits for {wait} of {whole} µs.</source>
        <translation>{share} 的交接把锁给了等得比别的行更短的行。行 {row} 在 {whole} µs 中等了 {wait} µs。</translation>
    </message>
    <message>
        <source>Whoever tries first after the lock is free gets it; rows of the first wave wait for their luck. To serve them in turn takes a ticket for each row: one more number a lock.</source>
        <translation>锁空出后谁先试到就归谁；第一批的行只能碰运气。要按先后次序，就得给每行发一个号：每把锁多一个数。</translation>
    </message>
    <message>
        <source>Stage 2 grows with the buffers, on {busy} of {sms} SMs</source>
        <translation>阶段 2 随缓冲区增长，只用 {sms} 个 SM 中的 {busy} 个</translation>
    </message>
    <message>
        <source>It has one program for {columns} columns, here {few}: {size} take {time}. With N = {wide} there are {more}, and {wide_size} take {wide_time}: it is not the bytes that cost.</source>
        <translation>每 {columns} 列一个程序实例，这里共 {few} 个：{size} 用时 {time}。N = {wide} 时有 {more} 个，{wide_size} 只用 {wide_time}：慢的原因不是字节数。</translation>
    </message>
    <message>
        <source>That is {gbps} and {wide_gbps} GB/s, where a + b → c reaches {ceiling} GB/s.</source>
        <translation>即 {gbps} 和 {wide_gbps} GB/s，而 a + b → c 达到 {ceiling} GB/s。</translation>
    </message>
    <message>
        <source>Why not more buffers: few programs are there to share them</source>
        <translation>为什么不用更多缓冲区：同时运行的程序实例不多</translation>
    </message>
    <message>
        <source>{registers} registers × {warps} warps: {per} program on an SM, {resident} at once. At {free} programs a buffer a row queues for {queued}. More buffers have nothing left to shorten.</source>
        <translation>{registers} 个寄存器 × {warps} 个 warp：每个 SM 上 {per} 个程序实例，同时 {resident} 个。每个缓冲区 {free} 个程序实例时，每行只排队 {queued}。再多的缓冲区已无可缩短。</translation>
    </message>
    <message>
        <source>atomic and split are new here. atomic sends the sums of every row to L2, which adds them. Last column: how many different results as many runs of one input gave.</source>
        <translation>atomic 和 split 在这里是新的。atomic 把每一行的和送到 L2，由 L2 相加。最后一列：同一输入运行同样多次，得到几种不同的结果。</translation>
    </message>
    <message>
        <source>{m} × {n}. The length of a bar is the time without tracing, L2 cold. The picture in it is one traced pass with L2 warm, drawn as long as the bar: {drawn}. {strategy} queues for {share} of its time.</source>
        <translation>{m} × {n}。横条的长度是不追踪、冷 L2 时的用时。其中的图是 L2 已热时追踪的一次反向传播，按横条的长度绘制：{drawn}。{strategy} 有 {share} 的时间在排队。</translation>
    </message>
    <message>
        <source>Tracing: {costs}.</source>
        <translation>追踪开销：{costs}。</translation>
    </message>
    <message>
        <source>call {number}: {why}</source>
        <translation>第 {number} 次调用：{why}</translation>
    </message>
    <message>
        <source>inexact: {names} up to {ratio:,g} times as far off as float32 allows ({errors}); one running sum of all {m:,} rows in {dtype} may be as far off, or mean and rstd in {dtype}; no row is missing, and no column stands out</source>
        <translation>不精确：{names} 的误差最大为 float32 所允许的 {ratio:,g} 倍（{errors}）；以 {dtype} 将全部 {m:,} 行累加成一个和，或以 {dtype} 保存 mean 和 rstd，误差也可能这么大；没有缺少任何一行，也没有哪一列特别突出</translation>
    </message>
    <message>
        <source>it replaces {names}, by which it is judged</source>
        <translation>它替换了用来评判它的 {names}</translation>
    </message>
    <message>
        <source>the interpreter times nothing, so each autotuner took the first of its configurations</source>
        <translation>解释器不计时，因此每个 autotuner 都取其第一个配置</translation>
    </message>
    <message>
        <source>it called torch&apos;s {names}</source>
        <translation>它调用了 torch 的 {names}</translation>
    </message>
    <message>
        <source>take 1: programs walk rows that they hold</source>
        <translation>取 1：程序逐行遍历其保存的行</translation>
    </message>
    <message>
        <source>Bits of y and dx depend on the row alone, those of dw and db on the rows and their order alone, whatever M, strides and places are. The experiment invariance measures its price: 4096 × 4096 float16 on an H200, 0.3 % forward and 1.7 % backward.</source>
        <translation>y 和 dx 的比特位只取决于该行本身，dw 和 db 的比特位只取决于各行及其顺序，与 M、步长和位置无关。代价由实验“不变性”测量：H200 上 4096 × 4096 float16，前向 0.3 %，反向 1.7 %。</translation>
    </message>
    <message>
        <source>{name} takes no bias: choose norm rms_norm where it is an RMSNorm; only LayerNorms with weight and bias are checked and timed</source>
        <translation>{name} 不接受偏置：若它是 RMSNorm，请把归一化选为 rms_norm；LayerNorm 只有带权重和偏置的才会检查和计时</translation>
    </message>
    <message>
        <source>{name}({parameters}) is not called as {norm} is: {why}; write a function {norm}(x, normalized_shape, {given}, eps) that calls it</source>
        <translation>{name}({parameters}) 的调用方式与 {norm} 不同：{why}；请写一个函数 {norm}(x, normalized_shape, {given}, eps) 来调用它</translation>
    </message>
    <message>
        <source>{name} is no LayerNorm, by its name: choose norm rms_norm, which is --norm rms_norm on the command line</source>
        <translation>从名称看，{name} 不是 LayerNorm：请把归一化选为 rms_norm，在命令行上是 --norm rms_norm</translation>
    </message>
    <message>
        <source>{place} has no {function}: write one, which launches its kernels</source>
        <translation>{place} 中没有 {function}：请写一个，由它启动其中的内核</translation>
    </message>
    <message>
        <source>{name} is a kernel, and does not say how it is launched: name a function that launches it, such as {function}</source>
        <translation>{name} 是一个内核，没有说明如何启动：请指定一个启动它的函数，例如 {function}</translation>
    </message>
    <message>
        <source>{why}; the CPU stands for cuda here: a GPU may run it</source>
        <translation>{why}；这里由 CPU 代替 cuda：在 GPU 上也许能运行</translation>
    </message>
    <message>
        <source>{direction}, {mode}: its bytes cannot be moved in {ms:.3g} ms: to move as many and do nothing else takes {least:.3g} ms</source>
        <translation>{direction}，{mode}：{ms:.3g} ms 内不可能搬运完它的字节：仅搬运同样多的字节就要 {least:.3g} ms</translation>
    </message>
    <message>
        <source>{direction}, {mode}: after {count} repetitions with other inputs, {wrong}</source>
        <translation>{direction}，{mode}：换用其他输入重复 {count} 次后，{wrong}</translation>
    </message>
    <message>
        <source>later calls with other values</source>
        <translation>使用其他数值的后续调用</translation>
    </message>
    <message>
        <source>Rows that wait for each other in circles ({place}): {count:,}, the first is row {row:,}.</source>
        <translation>有 {count:,} 行互相等待，成了圈（{place}），第一个是行 {row:,}。</translation>
    </message>
    <message>
        <source>Program {program:,} waits ({place}) for {whom}</source>
        <translation>程序实例 {program:,} 在等待（{place}）{whom}</translation>
    </message>
    <message>
        <source>program {wanted:,}, one of {absent:,} that were never resident.</source>
        <translation>程序实例 {wanted:,}，它是 {absent:,} 个从未驻留的程序实例之一。</translation>
    </message>
    <message>
        <source>{difference}, too few times</source>
        <translation>{difference}，次数太少</translation>
    </message>
    <message>
        <source>rate</source>
        <translation>比率</translation>
    </message>
    <message>
        <source>wrong columns of dw, db</source>
        <translation>dw、db 中出错的列</translation>
    </message>
    <message>
        <source>cannot show</source>
        <translation>无法显示</translation>
    </message>
    <message>
        <source>below {share} (95 %)</source>
        <translation>低于 {share}（95 %）</translation>
    </message>
    <message>
        <source>way</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>forward ms</source>
        <translation>前向 ms</translation>
    </message>
    <message>
        <source>backward ms</source>
        <translation>反向 ms</translation>
    </message>
    <message>
        <source>forward bytes</source>
        <translation>前向字节</translation>
    </message>
    <message>
        <source>backward bytes</source>
        <translation>反向字节</translation>
    </message>
    <message>
        <source>mask</source>
        <translation>掩码</translation>
    </message>
    <message>
        <source>{name} {before} → {after}</source>
        <translation>{name} {before} → {after}</translation>
    </message>
    <message>
        <source>choose layer_norm</source>
        <translation>请选择 layer_norm</translation>
    </message>
    <message>
        <source>of the pass</source>
        <translation>占整个传播</translation>
    </message>
    <message>
        <source>{way}, {ranks} GPUs, simulated µs</source>
        <translation>{way}，{ranks} 个 GPU，模拟 µs</translation>
    </message>
    <message>
        <source>ring</source>
        <translation>环形</translation>
    </message>
    <message>
        <source>queued µs</source>
        <translation>排队 µs</translation>
    </message>
    <message>
        <source>trying µs</source>
        <translation>尝试 µs</translation>
    </message>
    <message>
        <source>dw error</source>
        <translation>dw 误差</translation>
    </message>
    <message>
        <source>buffers</source>
        <translation>缓冲区</translation>
    </message>
    <message>
        <source>at M = {at}</source>
        <translation>在 M = {at} 时</translation>
    </message>
    <message>
        <source>behind {at} other rows</source>
        <translation>排在 {at} 行之后时</translation>
    </message>
    <message>
        <source>beside rows of NaN</source>
        <translation>与全是 NaN 的行相邻时</translation>
    </message>
    <message>
        <source>with {at} elements between rows</source>
        <translation>在行间隔着 {at} 个元素时</translation>
    </message>
    <message>
        <source>launched for {at} SMs</source>
        <translation>按 {at} 个 SM 启动时</translation>
    </message>
    <message>
        <source>in run {at}</source>
        <translation>在第 {at} 次运行时</translation>
    </message>
    <message>
        <source>{where}, with another launch: {setting}</source>
        <translation>{where}（启动不同：{setting}）</translation>
    </message>
    <message>
        <source>The same {rows} rows are compared, y and dx of each row alone, too. dw and db are compared where the other rows come last and have no gradient: else the sums are others. = means that no bit changed. 25 % @ 133 means that a quarter of the elements changed, first at an M of 133, or at so many rows, elements, SMs or runs.</source>
        <translation>比较的是相同的 {rows} 行，其中 y 和 dx 也逐行比较。dw 和 db 只在其他行排在最后且没有梯度时比较：否则和本来就不同。= 表示没有比特位改变。25 % @ 133 表示四分之一的元素改变，最先在 M 为 133 处，或在那么多的行、元素、SM 或运行处。</translation>
    </message>
    <message>
        <source>Whatever is around the rows, no bit of {kept} changes with {names}.</source>
        <translation>无论各行周围是什么，使用 {names} 时 {kept} 的比特位都不变。</translation>
    </message>
    <message>
        <source>Time of the invariant launch beside that of persistent: {forward} forward, {backward} backward.</source>
        <translation>不变的启动与 persistent 相比，前向用时 {forward}，反向用时 {backward}。</translation>
    </message>
    <message>
        <source>provider</source>
        <translation>提供者</translation>
    </message>
    <message>
        <source>changed</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>{name} changes bits of {lost}. {result} has other bits {where}.</source>
        <translation>{name} 改变了 {lost} 的比特位。{result} 的比特位{where}不同。</translation>
    </message>
    <message>
        <source>moving the bytes, at the speed of a copy and of a + b → c</source>
        <translation>搬运字节，按拷贝和 a + b → c 的速度</translation>
    </message>
    <message>
        <source>waiting for locks that others hold, or for sums of others</source>
        <translation>等待其他程序实例占用的锁，或它们的和</translation>
    </message>
    <message>
        <source>trying free locks, {tries} tries a row</source>
        <translation>尝试取空闲的锁，每行 {tries} 次</translation>
    </message>
    <message>
        <source>stage 2 and its launch</source>
        <translation>阶段 2 及其启动</translation>
    </message>
    <message>
        <source>places for programs that stay empty in the last wave</source>
        <translation>最后一波中空着的程序实例位置</translation>
    </message>
    <message>
        <source>one step away</source>
        <translation>只差一步</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>rounds</source>
        <translation>轮数</translation>
    </message>
    <message>
        <source>largest spread</source>
        <translation>最大离散</translation>
    </message>
    <message>
        <source>median spread</source>
        <translation>离散中位数</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>tracing</source>
        <translation>追踪开销</translation>
    </message>
    <message>
        <source>They differ in {settings}</source>
        <translation>不同之处：{settings}</translation>
    </message>
    <message>
        <source>The chosen runs have the same settings.</source>
        <translation>所选运行的设置相同。</translation>
    </message>
    <message>
        <source>take on or off, with = or !=</source>
        <translation>用 = 或 !=，取 on 或 off</translation>
    </message>
    <message>
        <source>✗ {names}</source>
        <translation>✗ {names}</translation>
    </message>
    <message>
        <source>wrong on hard inputs around {shape}: {wrong}</source>
        <translation>在 {shape} 附近的刁钻输入上错误：{wrong}</translation>
    </message>
    <message>
        <source>inexact on hard inputs around {shape}: {names}</source>
        <translation>在 {shape} 附近的刁钻输入上不精确：{names}</translation>
    </message>
    <message>
        <source>right on hard inputs around {shape}</source>
        <translation>在 {shape} 附近的刁钻输入上正确</translation>
    </message>
    <message>
        <source>inexact: {names}</source>
        <translation>不精确：{names}</translation>
    </message>
    <message>
        <source>{what} are tried on a GPU alone</source>
        <translation>{what}只在 GPU 上检查</translation>
    </message>
    <message>
        <source>This was measured, on the GPU named above. [It halts at each event; the next key goes on, Enter leaves it.]</source>
        <translation>这是在上方注明的 GPU 上测得的。【每个事件处会停下；按下一步键继续，按 Enter 离开。】</translation>
    </message>
    <message>
        <source>[Ask why they end so early: with narrow rows they do not. The next step says it.]</source>
        <translation>【问一问为什么这么早就不再排队：窄行时并非如此。下一步给出答案。】</translation>
    </message>
    <message>
        <source>[Let everybody write a number down first.]</source>
        <translation>【先让每个人写下一个数。】</translation>
    </message>
    <message>
        <source>programs a buffer</source>
        <translation>每个缓冲区的程序实例数</translation>
    </message>
    <message>
        <source>The same in the kernel, line by line</source>
        <translation>内核中的同一过程，逐行来看</translation>
    </message>
    <message>
        <source>Row {second} waits in line {spin} until row {first} is through line {gives}: what lies between is done by one program of the lock at a time.</source>
        <translation>行 {second} 在第 {spin} 行代码处等待，直到行 {first} 执行完第 {gives} 行：对同一把锁，两者之间的代码一次只由一个程序实例执行。</translation>
    </message>
    <message>
        <source>[Go down the first column of numbers, then the second.] The numbers are those of dw in the example; the first row of a lock loads nothing.</source>
        <translation>【先从上到下讲第一列数，再讲第二列。】这些数是例题中 dw 的数；每把锁的第一行什么也不读。</translation>
    </message>
    <message>
        <source>LayerNorm gives rows the same mean and spread: deep nets train steadily.</source>
        <translation>LayerNorm 使各行的均值和标准差一致，深层网络因此训练稳定。</translation>
    </message>
    <message>
        <source>[Let the room say the means.] Rows 1 and 2 spread twice as far, so their rstd is one half.</source>
        <translation>【让听众说出各行的均值。】第 1 行和第 2 行的标准差是两倍，所以它们的 rstd 是二分之一。</translation>
    </message>
    <message>
        <source>[Do row 0 together. c2 first, it is easier.]</source>
        <translation>【一起算第 0 行。先算 c2，它更容易。】</translation>
    </message>
    <message>
        <source>[Stress this.] No program needs another one up to here. w · dy stands on the step before.</source>
        <translation>【强调这一点。】到这里为止，各程序实例互不依赖。w · dy 在上一步。</translation>
    </message>
    <message>
        <source>To add is three steps: load, add, store. [Ask what the buffer will hold.]</source>
        <translation>累加分三步：读、加、写。【问听众：缓冲区里最后会是什么？】</translation>
    </message>
    <message>
        <source>A program is warps of {threads} threads on one SM; each thread has registers.</source>
        <translation>程序实例由若干 warp 组成，每个 warp 有 {threads} 个线程，都在一个 SM 上，各线程有自己的寄存器。</translation>
    </message>
    <message>
        <source>You are the scheduler: whose turn is it?</source>
        <translation>由您来调度：轮到谁？</translation>
    </message>
    <message>
        <source>Each program loads, then adds and stores. Which orders lose a row?</source>
        <translation>每个程序实例先读取，再相加并写入。哪些先后顺序会丢失一行？</translation>
    </message>
    <message>
        <source>[J and K, or a click, let a program go on; ← takes it back. Let the room lose a row, then keep both.] Two of the six orders are right: those in which one program is through before the other loads.</source>
        <translation>【按 J、K 或单击，让一个程序实例继续；按 ← 收回。先让全场丢失一行，再让两行都保住。】六种顺序中有两种是对的：一个程序实例全部做完之后，另一个才读取。</translation>
    </message>
    <message>
        <source>The scheduler again, with the lock</source>
        <translation>再来调度一次，这回有锁</translation>
    </message>
    <message>
        <source>Try to lose a row now. A program that finds the lock taken stays where it is.</source>
        <translation>现在再试试丢失一行。发现锁已被占用的程序实例停在原处。</translation>
    </message>
    <message>
        <source>[Let the room try.] The lock takes no order away but the wrong ones: either program may be the first.</source>
        <translation>【让全场试一试。】锁只排除了错误的顺序：两个程序实例中哪一个在先都可以。</translation>
    </message>
    <message>
        <source>[Show of hands for each option; click the one with the most. Then the next step.]</source>
        <translation>【每个选项举手表决；点击票数最多的选项，再到下一步。】</translation>
    </message>
    <message>
        <source>line</source>
        <translation>行号</translation>
    </message>
    <message>
        <source>passes/locked.py</source>
        <translation>passes/locked.py</translation>
    </message>
    <message>
        <source>passes/locked.py, line {number}:  {code}</source>
        <translation>passes/locked.py 第 {number} 行：{code}</translation>
    </message>
    <message>
        <source>Each tries again and again: a spin lock. Its program stays on the SM and does nothing else. It is a queue without an order: whoever tries first is next.</source>
        <translation>每个都反复尝试：这是自旋锁。它的程序实例一直占着 SM，什么也不做。这种排队没有先后：谁先试到就轮到谁。</translation>
    </message>
    <message>
        <source>Load, add, store, all under the lock. [Do the sum of one column aloud.] Between the two times: the hand-over.</source>
        <translation>读、加、写，都在持锁期间完成。【挑一列，出声算一遍。】两个时刻之间就是交接。</translation>
    </message>
    <message>
        <source>[Check one column on the board.]</source>
        <translation>【在黑板上验算一列。】</translation>
    </message>
    <message>
        <source>take a number, such as 12.5</source>
        <translation>请填一个数，例如 12.5</translation>
    </message>
    <message>
        <source>{letter}: {text}</source>
        <translation>{letter}：{text}</translation>
    </message>
    <message>
        <source>the letter of an answer</source>
        <translation>一个答案的字母</translation>
    </message>
    <message>
        <source>the letters in their order</source>
        <translation>按先后排列的字母</translation>
    </message>
    <message>
        <source>the name of your file</source>
        <translation>您的文件名</translation>
    </message>
    <message>
        <source>{right} is right.</source>
        <translation>{right} 是对的。</translation>
    </message>
    <message>
        <source>take letters from A to {last}</source>
        <translation>请用 A 到 {last} 的字母</translation>
    </message>
    <message>
        <source>It is not {answer}.</source>
        <translation>不是 {answer}。</translation>
    </message>
    <message>
        <source>Its results are right, but no lock is taken and given back.</source>
        <translation>它的结果正确，但没有取锁和释放锁。</translation>
    </message>
    <message>
        <source>Its results are right, and the rule for locks holds.</source>
        <translation>它的结果正确，并且符合锁的规则。</translation>
    </message>
    <message>
        <source>{order} is right.</source>
        <translation>{order} 是对的。</translation>
    </message>
    <message>
        <source>Its results are not right.</source>
        <translation>它的结果不对。</translation>
    </message>
    <message>
        <source>The way: {way}</source>
        <translation>做法：{way}</translation>
    </message>
    <message>
        <source>take {least} to {most}, no two alike</source>
        <translation>请写 {least} 到 {most} 个，不能相同</translation>
    </message>
    <message>
        <source>Take a hint: {hint}</source>
        <translation>请看提示：{hint}</translation>
    </message>
    <message>
        <source>take {names}, each with a colon after it</source>
        <translation>请用 {names}，每个后面加冒号</translation>
    </message>
    <message>
        <source>take m=… n=… group_size_m=…</source>
        <translation>请写 m=… n=… group_size_m=…</translation>
    </message>
    <message>
        <source>Barrier and fence: what the switch changes</source>
        <translation>屏障与内存栅栏：这个开关改变什么</translation>
    </message>
    <message>
        <source>{m} × {n}, {buffers} buffers, compiled for {architecture} by {compiler}</source>
        <translation>{m} × {n}，{buffers} 个缓冲区，由 {compiler} 为 {architecture} 编译</translation>
    </message>
    <message>
        <source>When is a store seen?</source>
        <translation>写入何时可见？</translation>
    </message>
    <message>
        <source>Each SM has an L1 of its own, which no other one looks into. So a fence stands before the lock is given back, and L1 is emptied after it is taken.</source>
        <translation>每个 SM 有自己的 L1，其他 SM 看不到里面的内容。所以释放锁之前有内存栅栏，拿到锁之后清空 L1。</translation>
    </message>
    <message>
        <source>A lock alone would say whose turn it is, not what was stored. Both come with the atomic operations: acquire and release.</source>
        <translation>只有锁，只能说明轮到谁，不能说明写了什么。这两样都由原子操作带来：获取（acquire）与释放（release）。</translation>
    </message>
    <message>
        <source>counts its row</source>
        <translation>给这一行计数</translation>
    </message>
    <message>
        <source>fence</source>
        <translation>内存栅栏</translation>
    </message>
    <message>
        <source>gives it back</source>
        <translation>释放锁</translation>
    </message>
    <message>
        <source>program {program}</source>
        <translation>程序实例 {program}</translation>
    </message>
    <message>
        <source>who</source>
        <translation>谁</translation>
    </message>
    <message>
        <source>each thread stores its columns</source>
        <translation>各线程写自己的列</translation>
    </message>
    <message>
        <source>all threads have stored</source>
        <translation>所有线程都已写完</translation>
    </message>
    <message>
        <source>release: these stores are in L2</source>
        <translation>释放：这些写入已到 L2</translation>
    </message>
    <message>
        <source>one thread takes the lock</source>
        <translation>一个线程拿到锁</translation>
    </message>
    <message>
        <source>acquire: L1 is emptied</source>
        <translation>获取：清空 L1</translation>
    </message>
    <message>
        <source>each thread loads, from L2</source>
        <translation>各线程从 L2 读</translation>
    </message>
    <message>
        <source>[Show of hands. Ask also: would one test run have found it?]</source>
        <translation>【举手表决。再问：只测试一次，会发现它吗？】</translation>
    </message>
    <message>
        <source>{time}: the last row starts. None has to wait for room on the GPU any more.</source>
        <translation>{time}：最后一行开始。不再有行等待 GPU 上的位置。</translation>
    </message>
    <message>
        <source>{time}: {count} rows take the first locks at once, row {row} among them.</source>
        <translation>{time}：{count} 行同时拿到最早的锁，其中有行 {row}。</translation>
    </message>
    <message>
        <source>{time}: row {row} asks for lock {lock}. It has to queue: another row will get the lock before it.</source>
        <translation>{time}：行 {row} 请求锁 {lock}。它要排队：另一行会先拿到这把锁。</translation>
    </message>
    <message>
        <source>{time}: row {row} gets lock {lock}, {length} after it asked: none waits longer.</source>
        <translation>{time}：行 {row} 在请求之后 {length} 拿到锁 {lock}：没有哪一行等得更久。</translation>
    </message>
    <message>
        <source>{time}: stage 2 begins. Buffers to add up: {buffers}, programs: {count}.</source>
        <translation>{time}：阶段 2 开始。要相加的缓冲区：{buffers} 个，程序实例：{count} 个。</translation>
    </message>
    <message>
        <source>Can it hang?</source>
        <translation>会卡死吗？</translation>
    </message>
    <message>
        <source>{m} programs, {resident} at once. The reduction goes on (✓): each takes one lock, and holds it only while it is on the GPU. The last two lines (✗) are not part of it.</source>
        <translation>{m} 个程序实例，同时 {resident} 个。归约能继续（✓）：每个只拿一把锁，而且只在驻留期间持有。最后两行（✗）不在归约之中。</translation>
    </message>
    <message>
        <source>Backward asks for {factor} times the bytes that have to move. But what takes the time are the queues: {share} of the time of a row.</source>
        <translation>反向请求的字节数是必须搬运的 {factor} 倍。但花时间的是排队：占一行时间的 {share}。</translation>
    </message>
    <message>
        <source>The slope is what a + b → c reached with N = {n}. What lies below it waits for something else: N = {narrow} for locks. N = {n} queues for {queued} a row; its stage 1 keeps L2 busy for {cached} of the time, memory for {dram}. Counted by Nsight Compute in the same launch, on {date}.</source>
        <translation>斜线是 N = {n} 时 a + b → c 达到的速度。低于它的点在等别的东西：N = {narrow} 等的是锁。N = {n} 每行只排队 {queued}；它的阶段 1 使 L2 忙碌 {cached} 的时间，内存忙碌 {dram}。这些由 Nsight Compute 于 {date} 在同一启动中统计。</translation>
    </message>
    <message>
        <source>programs at once on each of {sms} SMs: {programs}</source>
        <translation>{sms} 个 SM，每个上面同时的程序实例：{programs} 个</translation>
    </message>
    <message>
        <source>what could block the others</source>
        <translation>什么可能挡住其他程序实例</translation>
    </message>
    <message>
        <source>goes on</source>
        <translation>能继续</translation>
    </message>
    <message>
        <source>why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>a program that holds a lock</source>
        <translation>持有锁的程序实例</translation>
    </message>
    <message>
        <source>it waits for nobody, and gives it back</source>
        <translation>它不等任何人，会释放锁</translation>
    </message>
    <message>
        <source>a program that is not on the GPU yet</source>
        <translation>还没有驻留的程序实例</translation>
    </message>
    <message>
        <source>it holds no lock</source>
        <translation>它不持有锁</translation>
    </message>
    <message>
        <source>two locks, taken in two orders</source>
        <translation>两把锁，两种获取次序</translation>
    </message>
    <message>
        <source>each holds what the other wants</source>
        <translation>各自持有对方要的锁</translation>
    </message>
    <message>
        <source>a barrier of the whole grid</source>
        <translation>整个网格的屏障</translation>
    </message>
    <message>
        <source>{resident} wait, and leave no room for the rest</source>
        <translation>{resident} 个在等，其余的没有位置</translation>
    </message>
    <message>
        <source>a row of x and dy in float32, {size} each</source>
        <translation>x 和 dy 的各一行，float32，每行 {size}</translation>
    </message>
    <message>
        <source>program {row} tries, and waits</source>
        <translation>程序实例 {row} 尝试取锁，等待</translation>
    </message>
    <message>
        <source>Now you: {minutes} minutes</source>
        <translation>请您来做：{minutes} 分钟</translation>
    </message>
    <message>
        <source>Ctrl+Shift+E opens the sheets, and checks the answers.</source>
        <translation>Ctrl+Shift+E 打开练习，并检查答案。</translation>
    </message>
    <message>
        <source>[Go round. Whoever is stuck takes a hint.]</source>
        <translation>【四处走走。做不下去的可以看提示。】</translation>
    </message>
    <message>
        <source>[Ask who has written a kernel, and who has waited for a lock.]</source>
        <translation>【问一问谁写过内核，谁等过锁。】</translation>
    </message>
    <message>
        <source>One sum by hand</source>
        <translation>手算一列的和</translation>
    </message>
    <message>
        <source>How many rows share a lock?</source>
        <translation>几行共用一把锁？</translation>
    </message>
    <message>
        <source>Who comes first?</source>
        <translation>谁先拿到锁？</translation>
    </message>
    <message>
        <source>Find the missing barrier</source>
        <translation>找出缺少的屏障</translation>
    </message>
    <message>
        <source>What a buffer&apos;s type costs</source>
        <translation>缓冲区类型的代价</translation>
    </message>
    <message>
        <source>Predict the time at G = {size}, then run it</source>
        <translation>预测 G = {size} 时的用时，再看结果</translation>
    </message>
    <message>
        <source>How many buffers are enough?</source>
        <translation>多少个缓冲区就够了？</translation>
    </message>
    <message>
        <source>Why is N = {width} slower than {other}?</source>
        <translation>为什么 N = {width} 比 {other} 慢？</translation>
    </message>
    <message>
        <source>Write the lock</source>
        <translation>写出这把锁</translation>
    </message>
    <message>
        <source>Sheet {number}: {title}</source>
        <translation>练习 {number}：{title}</translation>
    </message>
    <message>
        <source>The same four numbers, added in five ways</source>
        <translation>同样四个数，五种加法</translation>
    </message>
    <message>
        <source>A tree takes {log} rounds for {m} numbers, a chain {m}. But it ends at its program, the shuffle at its warp: they add c1 and c2.</source>
        <translation>把 {m} 个数相加，树要 {log} 轮，逐个相加要 {m} 轮。但树只在一个程序实例之内，shuffle 只在一个 warp 之内：它们用来求 c1 和 c2。</translation>
    </message>
    <message>
        <source>Sums after each round, of dw[{column}]. Threads of a program share memory, those of a warp read each other&apos;s registers. What joins programs goes through L2: behind a lock, by an atomic addition, or in a second kernel.</source>
        <translation>dw[{column}] 每一轮之后的和。一个程序实例的线程共用共享内存，一个 warp 的线程可以互读寄存器。程序实例之间的汇合要经过 L2：用锁、用原子加法，或在第二个内核里。</translation>
    </message>
    <message>
        <source>[Take questions. Type a step&apos;s number and Enter to go back to its picture.]</source>
        <translation>【回答提问。输入步号再按 Enter，可回到那一步的画面。】</translation>
    </message>
    <message>
        <source>The same rows, the same sums. [Point at what is missing: locks, counts, queues.]</source>
        <translation>同样的行，同样的和。【指出少了什么：锁、计数、队列。】</translation>
    </message>
    <message>
        <source>rows {values}</source>
        <translation>各行 {values}</translation>
    </message>
    <message>
        <source>two buffers, locks</source>
        <translation>两个缓冲区，锁</translation>
    </message>
    <message>
        <source>GPU</source>
        <translation>GPU</translation>
    </message>
    <message>
        <source>tree, shared memory</source>
        <translation>树，共享内存</translation>
    </message>
    <message>
        <source>warp shuffle</source>
        <translation>warp shuffle</translation>
    </message>
    <message>
        <source>[Ask first: how could one do without locks at all?]</source>
        <translation>【先问：完全不用锁，该怎么做？】</translation>
    </message>
    <message>
        <source>choose {names}</source>
        <translation>请选择 {names}</translation>
    </message>
    <message>
        <source>norm</source>
        <translation>归一化</translation>
    </message>
    <message>
        <source>Added to the variance of a row, of RMSNorm to its mean square, before the square root is taken.</source>
        <translation>在开平方之前加到一行的方差上；RMSNorm 则加到均方上。</translation>
    </message>
    <message>
        <source>not settled</source>
        <translation>未稳定</translation>
    </message>
    <message>
        <source>spills</source>
        <translation>溢出</translation>
    </message>
    <message>
        <source>of {setting}, run to renew</source>
        <translation>属于 {setting}，运行即可更新</translation>
    </message>
    <message>
        <source>of {setting}</source>
        <translation>属于 {setting}</translation>
    </message>
    <message>
        <source>{text} (inexact)</source>
        <translation>{text}（不精确）</translation>
    </message>
    <message>
        <source>{text} (WRONG)</source>
        <translation>{text}（错误）</translation>
    </message>
    <message>
        <source>{setting} (stage 2)</source>
        <translation>{setting}（阶段 2）</translation>
    </message>
    <message>
        <source>off</source>
        <translation>关</translation>
    </message>
    <message>
        <source>{name} at row {row}, column {column}: kernel {got}, PyTorch {torch}, float64 {truth}; error {error}</source>
        <translation>{name} 第 {row} 行第 {column} 列：内核 {got}，PyTorch {torch}，float64 {truth}；误差 {error}</translation>
    </message>
    <message>
        <source>Red is NaN or infinite. Wheel or + and − zoom, drag or arrow keys move, double click or Home shows everything. A click on an element tells its values.</source>
        <translation>红色是 NaN 或无穷。滚轮或 + 和 − 缩放，拖动或方向键移动，双击或 Home 显示全部。单击一个元素给出它的值。</translation>
    </message>
    <message>
        <source>WRONG, timed all the same</source>
        <translation>错误，仍然计时</translation>
    </message>
    <message>
        <source>{place} of {count}</source>
        <translation>第 {place} 处，共 {count} 处</translation>
    </message>
    <message>
        <source>Find</source>
        <translation>查找</translation>
    </message>
    <message>
        <source>The hit before (Shift+Return)</source>
        <translation>上一处 (Shift+回车)</translation>
    </message>
    <message>
        <source>Before</source>
        <translation>上一处</translation>
    </message>
    <message>
        <source>The next hit (Return)</source>
        <translation>下一处 (回车)</translation>
    </message>
    <message>
        <source>Close (Esc)</source>
        <translation>关闭 (Esc)</translation>
    </message>
    <message>
        <source>No run is pinned as A: pin one in Run or in History.</source>
        <translation>没有固定为 A 的运行：请在“运行”或“历史”中固定一次。</translation>
    </message>
    <message>
        <source>A, the pinned run</source>
        <translation>A，固定的运行</translation>
    </message>
    <message>
        <source>Compiled here, by Triton {here}. The SASS and what was counted are of {where}.</source>
        <translation>由本机的 Triton {here} 编译。SASS 和计数属于 {where}。</translation>
    </message>
    <message>
        <source>programs: {programs}</source>
        <translation>程序实例：{programs} 个</translation>
    </message>
    <message>
        <source>programs: {programs}, of which {cells} are drawn</source>
        <translation>程序实例：{programs} 个，画出其中 {cells} 个</translation>
    </message>
    <message>
        <source>Median time of the kernels alone, cold L2, in µs</source>
        <translation>仅内核的时间中位数，冷 L2，单位 µs</translation>
    </message>
    <message>
        <source>to A</source>
        <translation>与 A 之差</translation>
    </message>
    <message>
        <source>Every term must hold. A word occurs in time, device, kind, shape, dtype, strategy, setting or note; passed and failed are verdicts; M, N, G, num_warps and every other setting, forward, backward, share, y, dx, dw, db and date compare with &lt;, &lt;=, =, &gt;=, &gt;.</source>
        <translation>每个条件都须满足。词语在时间、设备、来源、形状、dtype、策略、设置或备注中查找；passed 和 failed 是结论；M、N、G、num_warps 及其他各设置、forward、backward、share、y、dx、dw、db 和 date 用 &lt;、&lt;=、=、&gt;=、&gt; 比较。</translation>
    </message>
    <message>
        <source>Unpin A</source>
        <translation>取消固定 A</translation>
    </message>
    <message>
        <source>Pin as A</source>
        <translation>固定为 A</translation>
    </message>
    <message>
        <source>Restore</source>
        <translation>恢复</translation>
    </message>
    <message>
        <source>Show</source>
        <translation>显示</translation>
    </message>
    <message>
        <source>A: {shape}, {strategy}</source>
        <translation>A：{shape}，{strategy}</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Copy or export the selected runs</source>
        <translation>复制或导出所选的运行</translation>
    </message>
    <message>
        <source>program {row}: two walks, each of {steps} × BLOCK_SIZE = {block} lanes</source>
        <translation>程序实例 {row}：走两遍，每遍 {steps} × BLOCK_SIZE = {block} 个通道</translation>
    </message>
    <message>
        <source>{shape} takes about {time} here: Check again runs it.</source>
        <translation>{shape} 在这里约需 {time}：“再次检查”会运行它。</translation>
    </message>
    <message>
        <source>No program opened {path}.</source>
        <translation>没有程序打开 {path}。</translation>
    </message>
    <message>
        <source>Check it on every kind of data, NaN and infinity among them, on odd shapes, and on tensors with strides, offsets and other types</source>
        <translation>用各种数据（包括 NaN 和无穷大）、特殊形状，以及带步长、偏移和其他类型的张量检查它</translation>
    </message>
    <message>
        <source>Several shapes</source>
        <translation>多种形状</translation>
    </message>
    <message>
        <source>Check it from 1×1 to rows of more than 12,000 columns</source>
        <translation>从 1×1 到超过 12000 列的行，逐一检查</translation>
    </message>
    <message>
        <source>Check again</source>
        <translation>再次检查</translation>
    </message>
    <message>
        <source>Check the newest text with M, N and dtype of the parameters, however long it takes</source>
        <translation>用参数中的 M、N 和 dtype 检查最新的文本，无论需要多久</translation>
    </message>
    <message>
        <source>Edit</source>
        <translation>编辑</translation>
    </message>
    <message>
        <source>Open the file at the line of the verdict, with $VISUAL or $EDITOR, else with the desktop&apos;s program</source>
        <translation>在结论所指的行打开文件：用 $VISUAL 或 $EDITOR，否则用桌面的程序</translation>
    </message>
    <message>
        <source>of version {version}</source>
        <translation>属于版本 {version}</translation>
    </message>
    <message>
        <source>What the chosen version changed in the text of the one before</source>
        <translation>所选版本对前一版本的文本作了哪些改动</translation>
    </message>
    <message>
        <source>Changes</source>
        <translation>改动</translation>
    </message>
    <message>
        <source>forward {a} of {b} · stage 1 {c} of {d}</source>
        <translation>前向 {a} / {b} · 阶段 1 {c} / {d}</translation>
    </message>
    <message>
        <source>Ticked: the heuristics choose this value. Untick to take it over.</source>
        <translation>勾选时由启发式规则选取此值；取消勾选即可自行设定。</translation>
    </message>
    <message>
        <source>A: {setting}</source>
        <translation>A：{setting}</translation>
    </message>
    <message>
        <source>nothing else</source>
        <translation>无</translation>
    </message>
    <message>
        <source>{count:,} settings</source>
        <translation>{count:,} 个设置</translation>
    </message>
    <message>
        <source>about {time}</source>
        <translation>约 {time}</translation>
    </message>
    <message>
        <source>Click a setting to select it; wheel or + and − zoom, Page Up and Page Down point, Enter selects.</source>
        <translation>单击选中一个设置；滚轮或 +、− 缩放，Page Up、Page Down 移动指向，Enter 选中。</translation>
    </message>
    <message>
        <source>Click a setting to select it; arrow keys point, Enter selects.</source>
        <translation>单击选中一个设置；方向键移动指向，Enter 选中。</translation>
    </message>
    <message>
        <source>Click a setting to select it.</source>
        <translation>单击选中一个设置。</translation>
    </message>
    <message>
        <source>Use this</source>
        <translation>采用</translation>
    </message>
    <message>
        <source>Put this setting into the parameters</source>
        <translation>把此设置放入参数</translation>
    </message>
    <message>
        <source>Copy as triton.Config</source>
        <translation>复制为 triton.Config</translation>
    </message>
    <message>
        <source>This setting, of each kernel, as Python</source>
        <translation>此设置，每个内核各一份，写成 Python</translation>
    </message>
    <message>
        <source>Copy for autotune</source>
        <translation>复制为 autotune 表</translation>
    </message>
    <message>
        <source>The best setting of each N, as a table for @triton.autotune</source>
        <translation>每个 N 的最佳设置，作为 @triton.autotune 用的表</translation>
    </message>
    <message>
        <source>Best</source>
        <translation>最佳</translation>
    </message>
    <message>
        <source>Selected</source>
        <translation>选中</translation>
    </message>
    <message>
        <source>{provider} is WRONG, and timed all the same: {reason}</source>
        <translation>{provider} 的结果错误，仍然计时：{reason}</translation>
    </message>
    <message>
        <source>Widths from 992 to 1024, M = 4096, float16</source>
        <translation>宽度 992 至 1024，M = 4096，float16</translation>
    </message>
    <message>
        <source>{m}×{n} takes about {time} here, on Triton&apos;s interpreter. Run it all the same?</source>
        <translation>{m}×{n} 在此处的 Triton 解释器上约需 {time}。仍要运行吗？</translation>
    </message>
    <message>
        <source>There is no finished run to pin yet.</source>
        <translation>还没有可固定的已完成运行。</translation>
    </message>
    <message>
        <source>Simulated by a model</source>
        <translation>由模型模拟</translation>
    </message>
    <message>
        <source>{rows:,} rows in {time}: {facts}</source>
        <translation>{time} 内的 {rows:,} 行：{facts}</translation>
    </message>
    <message>
        <source>{name} {time} ({share})</source>
        <translation>{name} {time}（{share}）</translation>
    </message>
    <message>
        <source>waits for lock {lock} {time}</source>
        <translation>等待锁 {lock} 共 {time}</translation>
    </message>
    <message>
        <source>GIF needs Pillow: pip install &apos;.[film]&apos; in the clone.</source>
        <translation>GIF 需要 Pillow：请在克隆的目录中运行 pip install &apos;.[film]&apos;。</translation>
    </message>
    <message>
        <source>MP4 needs ffmpeg: pip install &apos;.[film]&apos; in the clone.</source>
        <translation>MP4 需要 ffmpeg：在克隆的目录中执行 pip install &apos;.[film]&apos;。</translation>
    </message>
    <message>
        <source>tiles {done:,} / {tiles:,}</source>
        <translation>分块 {done:,} / {tiles:,}</translation>
    </message>
    <message>
        <source>{shown:,} of {rows:,} rows</source>
        <translation>{rows:,} 行中的 {shown:,} 行</translation>
    </message>
    <message>
        <source>it launches no kernel of Triton and has none of CUDA for {architecture}; those that torch.compile writes are shown on a GPU alone</source>
        <translation>它不启动任何 Triton 内核，也没有适用于 {architecture} 的 CUDA 内核；torch.compile 生成的内核只在有 GPU 时显示</translation>
    </message>
    <message>
        <source>row {row:,}</source>
        <translation>第 {row:,} 行</translation>
    </message>
    <message>
        <source>to come</source>
        <translation>未开始</translation>
    </message>
    <message>
        <source>A: run {number}. Differences are ratios of median speeds with their 95 % interval, a drift of the machine taken out, where runs are of one problem on one device.</source>
        <translation>A：运行 {number}。差异是两次运行速度中位数之比及其 95 % 区间，已扣除机器的漂移，仅在同一设备上的同一问题之间比较。</translation>
    </message>
    <message>
        <source>{direction} to A</source>
        <translation>{direction}，与 A 相比</translation>
    </message>
    <message>
        <source>{name} cannot be looked at: {why}</source>
        <translation>无法查看 {name}：{why}</translation>
    </message>
    <message>
        <source>seconds of timing</source>
        <translation>计时秒数</translation>
    </message>
    <message>
        <source>written into {folder} meanwhile, by this run or one beside it: {names}</source>
        <translation>期间写入 {folder}（由本次运行或同时进行的其他运行）：{names}</translation>
    </message>
    <message>
        <source>The strategies&apos; kernels do not add: PyTorch adds the residual before them, and the gradient of the sum after them.</source>
        <translation>这些策略的内核不做加法：PyTorch 在它们之前加上残差，在它们之后加上这个和的梯度。</translation>
    </message>
    <message>
        <source>{provider}: {launched}</source>
        <translation>{provider}：{launched}</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Notes (N)</source>
        <translation>备注（N）</translation>
    </message>
    <message>
        <source>Notes</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>From the start</source>
        <translation>从头开始</translation>
    </message>
    <message>
        <source>Hint</source>
        <translation>提示</translation>
    </message>
    <message>
        <source>This one needs a kernel to run: the program checks it, in Exercises or with lnexplorer exercises.</source>
        <translation>这一题需要运行内核：由程序检查，在“练习”中或用 lnexplorer exercises。</translation>
    </message>
    <message>
        <source>Written by lnexplorer {version}, {written}</source>
        <translation>由 lnexplorer {version} 生成，{written}</translation>
    </message>
    <message>
        <source>Slower (−)</source>
        <translation>放慢（−）</translation>
    </message>
    <message>
        <source>Faster (+)</source>
        <translation>加快（+）</translation>
    </message>
    <message>
        <source>Zoom out (Shift+Z)</source>
        <translation>缩小（Shift+Z）</translation>
    </message>
    <message>
        <source>Zoom in (Z)</source>
        <translation>放大（Z）</translation>
    </message>
    <message>
        <source>All rows, and all of the time (0)</source>
        <translation>所有行和全部时间（0）</translation>
    </message>
    <message>
        <source>Locks and buffers: click one to follow it</source>
        <translation>锁和缓冲区：点击其一即可跟踪</translation>
    </message>
    <message>
        <source>Space plays, ← and → step, + and − change the speed, Z and Shift+Z zoom, 0 shows all, G groups the rows otherwise, L follows a lock, Esc nothing. Drag to move, with two fingers or with Ctrl and the wheel zoom, click to follow a row or a lock.</source>
        <translation>空格键播放，← 和 → 逐个事件前进或后退，+ 和 − 改变速度，Z 和 Shift+Z 缩放，0 显示全部，G 换一种方式给行分组，L 跟踪一把锁，Esc 取消跟踪。拖动可移动，用两根手指或按住 Ctrl 滚动可缩放，点击可跟踪一行或一把锁。</translation>
    </message>
    <message>
        <source>Settings and environment</source>
        <translation>设置和环境</translation>
    </message>
    <message>
        <source>queued</source>
        <translation>排队</translation>
    </message>
    <message>
        <source>memory of torch.empty holds NaN during a check: perhaps some is read before it is written</source>
        <translation>检查期间 torch.empty 的内存里是 NaN：也许有内存在写入之前就被读取</translation>
    </message>
    <message>
        <source>{name} {error} where {allowed} is allowed</source>
        <translation>{name} 为 {error} 而只允许 {allowed}</translation>
    </message>
    <message>
        <source>Rows that a program of stage 1 takes at once. Together they have at most 65,536 elements.</source>
        <translation>阶段 1 的一个程序实例一次处理的行数。这些行合起来最多有 65,536 个元素。</translation>
    </message>
    <message>
        <source>trying</source>
        <translation>尝试</translation>
    </message>
    <message>
        <source>Settings one step away that were checked: {count}; wrong or failed: {wrong}.</source>
        <translation>已检查相差一步的设置 {count} 个；错误或失败的 {wrong} 个。</translation>
    </message>
    <message>
        <source>inexact</source>
        <translation>不精确</translation>
    </message>
    <message>
        <source>no kernel</source>
        <translation>没有内核</translation>
    </message>
    <message>
        <source>{setting} {place}</source>
        <translation>{setting} {place}</translation>
    </message>
    <message>
        <source>holding</source>
        <translation>持锁</translation>
    </message>
    <message>
        <source>end, B − A: {apart}</source>
        <translation>终点，B − A：{apart}</translation>
    </message>
    <message>
        <source>{text} (no kernel)</source>
        <translation>{text}（没有内核）</translation>
    </message>
    <message>
        <source>other kernels …</source>
        <translation>其他内核 …</translation>
    </message>
    <message>
        <source>Kernels that are none of these, such as those of a library of CUDA</source>
        <translation>不属于这几个的内核，例如 CUDA 库中的内核</translation>
    </message>
    <message>
        <source>Other kernels</source>
        <translation>其他内核</translation>
    </message>
    <message>
        <source>Run does it on this machine&apos;s GPU, in seconds or about a minute.</source>
        <translation>“运行”会在本机的 GPU 上做这个实验，需要几秒到大约一分钟。</translation>
    </message>
    <message>
        <source>Speed over that of A, the pinned run, with the 95 % interval of the ratio of the two medians; a drift of the machine, told by other libraries&apos; kernels in both runs, is taken out. Runs of unlike problems, or on unlike devices, are not compared.</source>
        <translation>与固定的运行 A 的速度之比，带两个中位数之比的 95 % 区间；机器的漂移由两次运行中其他库的内核得知，并已扣除。问题或设备不同的运行不作比较。</translation>
    </message>
    <message>
        <source>Too few times, or restless ones, were measured to say how far the speeds are apart.</source>
        <translation>测得的时间太少或不稳定，无法说明两个速度相差多少。</translation>
    </message>
    <message>
        <source>A tick where every result was within its tolerance; else which were beyond it, and which provider is inexact or launches no kernel of its own</source>
        <translation>每个结果都在容差内时打勾；否则写出哪些超出容差，以及哪个提供者不精确，或没有启动自己的内核</translation>
    </message>
    <message>
        <source>The main setting, and those that were chosen</source>
        <translation>主要设置，以及由人选定的设置</translation>
    </message>
    <message>
        <source>{why} That was at {m}×{n}, where it may be slow or hang.</source>
        <translation>{why}当时的形状是 {m}×{n}；它在那里可能只是慢，也可能挂起。</translation>
    </message>
    <message>
        <source>Stopped: Check again runs it.</source>
        <translation>已停止：“再次检查”会运行它。</translation>
    </message>
    <message>
        <source>Open a Python file with a LayerNorm or RMSNorm, drop one here, or write a new one to begin from. It is checked as every kernel is, timed where there is a GPU, and again each time that you save it.</source>
        <translation>打开含有 LayerNorm 或 RMSNorm 的 Python 文件，把它拖放到这里，或新建一个作为起点。它会像所有内核一样接受检查，有 GPU 时还会计时；每次保存后都重新进行。</translation>
    </message>
    <message>
        <source>hard inputs: {told}</source>
        <translation>刁钻输入：{told}</translation>
    </message>
    <message>
        <source>stage 1: {model}, measured {measured}, {error}</source>
        <translation>阶段 1：{model}，实测 {measured}，{error}</translation>
    </message>
    <message>
        <source>stage 1: {model} · measured with GROUP_SIZE_M {group_size_m}: {measured}</source>
        <translation>阶段 1：{model} · GROUP_SIZE_M {group_size_m} 时实测：{measured}</translation>
    </message>
    <message>
        <source>B: {title}</source>
        <translation>B：{title}</translation>
    </message>
    <message>
        <source>End now; rows so far are kept, and the sweep can be resumed (Esc)</source>
        <translation>立即结束；已有结果会保留，之后可以继续参数扫描（Esc）</translation>
    </message>
    <message>
        <source>Rows appear here as they come.</source>
        <translation>有了结果就会显示在这里。</translation>
    </message>
    <message>
        <source>It ended before its first result. Press Run sweep to begin again.</source>
        <translation>它在得到第一个结果之前就结束了。按“运行参数扫描”重新开始。</translation>
    </message>
    <message>
        <source>No result yet</source>
        <translation>还没有结果</translation>
    </message>
    <message>
        <source>{title}, {gpu}</source>
        <translation>{title}，{gpu}</translation>
    </message>
    <message>
        <source>{waiting}: {rows}</source>
        <translation>{waiting}：{rows}</translation>
    </message>
    <message>
        <source>done</source>
        <translation>完成</translation>
    </message>
    <message>
        <source>lock {lock}</source>
        <translation>锁 {lock}</translation>
    </message>
    <message>
        <source>computed in recorded order</source>
        <translation>按实测的顺序计算</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>{steps:,} steps</source>
        <translation>{steps:,} 步</translation>
    </message>
    <message>
        <source>lane {lane}</source>
        <translation>泳道 {lane}</translation>
    </message>
    <message>
        <source>as the traced kernel stored them, in recorded order</source>
        <translation>追踪的内核所写入的值，按实测的顺序</translation>
    </message>
    <message>
        <source>computed in simulated order</source>
        <translation>按模拟的顺序计算</translation>
    </message>
    <message>
        <source>Open this file again</source>
        <translation>再次打开这个文件</translation>
    </message>
    <message>
        <source>A is this run: {setting}</source>
        <translation>A 就是此次运行：{setting}</translation>
    </message>
    <message>
        <source>A: {setting}. Of another problem or device: figures do not compare.</source>
        <translation>A：{setting}。问题或设备不同：数字无法比较。</translation>
    </message>
    <message>
        <source>of the run before</source>
        <translation>属于上一次运行</translation>
    </message>
    <message>
        <source>{count} files were dropped: drop one at a time.</source>
        <translation>拖入了 {count} 个文件：请一次只拖入一个。</translation>
    </message>
    <message>
        <source>{path} is not there any more.</source>
        <translation>{path} 已不存在。</translation>
    </message>
    <message>
        <source>{length} minutes, with the speaker&apos;s notes</source>
        <translation>{length} 分钟，带讲者备注</translation>
    </message>
    <message>
        <source>{length} minutes, for students</source>
        <translation>{length} 分钟，供学生使用</translation>
    </message>
    <message>
        <source>On show: {about}</source>
        <translation>正在显示：{about}</translation>
    </message>
    <message>
        <source>Change …</source>
        <translation>更改…</translation>
    </message>
    <message>
        <source>Go to the parameters</source>
        <translation>转到参数</translation>
    </message>
    <message>
        <source>Parameters: {values}</source>
        <translation>参数：{values}</translation>
    </message>
    <message>
        <source>Result</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>✗ Beyond tolerance: {names}</source>
        <translation>✗ 超出容差：{names}</translation>
    </message>
    <message>
        <source>The window ended while it opened what had been left open</source>
        <translation>窗口在打开上次的内容时意外结束</translation>
    </message>
    <message>
        <source>What was left open is not shown: {why}. It is kept as {path}.</source>
        <translation>上次打开的内容未显示：{why}。它保存为 {path}。</translation>
    </message>
    <message>
        <source>Open re&amp;cent</source>
        <translation>打开最近的文件(&amp;C)</translation>
    </message>
    <message>
        <source>Check &amp;64 rows</source>
        <translation>只检查 64 行(&amp;6)</translation>
    </message>
    <message>
        <source>Run the problem with M = 64, which takes Triton&apos;s interpreter about a second</source>
        <translation>以 M = 64 运行该问题，Triton 解释器约需一秒</translation>
    </message>
    <message>
        <source>&amp;Undo</source>
        <translation>撤销(&amp;U)</translation>
    </message>
    <message>
        <source>Take back the last change of the parameters, by whatever it was made</source>
        <translation>撤回参数的上一次更改，无论它由什么造成</translation>
    </message>
    <message>
        <source>R&amp;edo</source>
        <translation>重做(&amp;E)</translation>
    </message>
    <message>
        <source>Make the change again that was taken back</source>
        <translation>重新做出撤回的更改</translation>
    </message>
    <message>
        <source>Record loc&amp;ks</source>
        <translation>追踪锁(&amp;K)</translation>
    </message>
    <message>
        <source>&amp;Pin as A</source>
        <translation>固定为 A</translation>
    </message>
    <message>
        <source>Show how far every figure is from this run&apos;s from now on; again to unpin it</source>
        <translation>从现在起显示每个数字与此次运行的差异；再次使用即取消固定</translation>
    </message>
    <message>
        <source>F&amp;ill the workspace</source>
        <translation>填满工作区(&amp;I)</translation>
    </message>
    <message>
        <source>Show the part with the keyboard alone, or all others again</source>
        <translation>只显示当前面板，或重新显示所有其他面板</translation>
    </message>
    <message>
        <source>Window of its &amp;own</source>
        <translation>独立窗口(&amp;O)</translation>
    </message>
    <message>
        <source>Show the part with the keyboard in a window of its own; it returns when that is closed</source>
        <translation>在独立窗口中显示当前面板；关闭该窗口后面板返回</translation>
    </message>
    <message>
        <source>Fold the &amp;parameters</source>
        <translation>折叠参数(&amp;P)</translation>
    </message>
    <message>
        <source>Show the parameters as one line of values, or the form again</source>
        <translation>把参数显示为一行数值，或重新显示表单</translation>
    </message>
    <message>
        <source>Share the room as at first, and take all parts back into the window</source>
        <translation>按最初的比例分配空间，并把所有面板收回主窗口</translation>
    </message>
    <message>
        <source>The reduction, step by step, for a lecture hall; H there shows all keys</source>
        <translation>在讲堂里逐步讲解归约；其中按 H 显示所有按键</translation>
    </message>
    <message>
        <source>&amp;Exercises</source>
        <translation>练习(&amp;E)</translation>
    </message>
    <message>
        <source>Lab sheets beside the workspaces; an answer is checked by what was run or recorded</source>
        <translation>工作区旁的练习；答案由运行过的或实测记录的内容来检查</translation>
    </message>
    <message>
        <source>&amp;Full screen</source>
        <translation>全屏(&amp;F)</translation>
    </message>
    <message>
        <source>For the projector</source>
        <translation>用于投影</translation>
    </message>
    <message>
        <source>Lar&amp;ger text</source>
        <translation>放大文字(&amp;G)</translation>
    </message>
    <message>
        <source>So that the last row can read it</source>
        <translation>让最后一排也能看清</translation>
    </message>
    <message>
        <source>S&amp;maller text</source>
        <translation>缩小文字(&amp;M)</translation>
    </message>
    <message>
        <source>So that more fits</source>
        <translation>容纳更多内容</translation>
    </message>
    <message>
        <source>&amp;Usual text</source>
        <translation>恢复文字大小(&amp;U)</translation>
    </message>
    <message>
        <source>The size of the text as it was at first</source>
        <translation>恢复最初的文字大小</translation>
    </message>
    <message>
        <source>&amp;Appearance</source>
        <translation>外观(&amp;A)</translation>
    </message>
    <message>
        <source>&amp;Manual</source>
        <translation>手册(&amp;M)</translation>
    </message>
    <message>
        <source>What is shown, at the part with the keyboard</source>
        <translation>所显示内容的说明，从当前面板那一节打开</translation>
    </message>
    <message>
        <source>&amp;Find an action …</source>
        <translation>查找操作(&amp;F) …</translation>
    </message>
    <message>
        <source>Type a part of the name of an action, a setting, a button or a recording, and press Return</source>
        <translation>键入操作、设置、按钮或录制名称的一部分，然后按回车</translation>
    </message>
    <message>
        <source>&amp;Keys</source>
        <translation>按键(&amp;K)</translation>
    </message>
    <message>
        <source>What each key does</source>
        <translation>每个按键的作用</translation>
    </message>
    <message>
        <source>&amp;Glossary</source>
        <translation>术语表(&amp;G)</translation>
    </message>
    <message>
        <source>The words of the field, as they are used here</source>
        <translation>这里所用的专业术语</translation>
    </message>
    <message>
        <source>&amp;Try your own</source>
        <translation>亲手试试(&amp;T)</translation>
    </message>
    <message>
        <source>A tour of five steps over the window; Esc leaves it</source>
        <translation>在窗口上分五步导览；按 Esc 离开</translation>
    </message>
    <message>
        <source>&amp;Provenance</source>
        <translation>数据来源(&amp;P)</translation>
    </message>
    <message>
        <source>Where the numbers on the screen come from</source>
        <translation>屏幕上的数字从何而来</translation>
    </message>
    <message>
        <source>&amp;About lnexplorer</source>
        <translation>关于 lnexplorer(&amp;A)</translation>
    </message>
    <message>
        <source>What this program is</source>
        <translation>这个程序是什么</translation>
    </message>
    <message>
        <source>Run on this device</source>
        <translation>在此设备上运行</translation>
    </message>
    <message>
        <source>&amp;Chart …</source>
        <translation>图表(&amp;C)…</translation>
    </message>
    <message>
        <source>A chart as PNG or SVG, at any size, with its provenance</source>
        <translation>把图表存为 PNG 或 SVG，大小任选，并印上来源</translation>
    </message>
    <message>
        <source>This &amp;moment as SVG …</source>
        <translation>此刻存为 SVG(&amp;M)…</translation>
    </message>
    <message>
        <source>The reduction as it stands at the playhead, with a line that says where it comes from</source>
        <translation>播放头所在时刻的归约，附一行来源说明</translation>
    </message>
    <message>
        <source>&amp;Film …</source>
        <translation>影片(&amp;F)…</translation>
    </message>
    <message>
        <source>A stretch of the reduction as GIF or MP4</source>
        <translation>将归约的一段存为 GIF 或 MP4</translation>
    </message>
    <message>
        <source>Lecture hand&amp;out …</source>
        <translation>讲义(&amp;O)…</translation>
    </message>
    <message>
        <source>The steps of the lecture with their notes, as a PDF or a folder of PNGs, in the window&apos;s language</source>
        <translation>讲座的各步及其备注，存为 PDF 或 PNG 文件夹，使用窗口的语言</translation>
    </message>
    <message>
        <source>Copy as &amp;Python</source>
        <translation>复制为 Python(&amp;P)</translation>
    </message>
    <message>
        <source>The command that makes this run again</source>
        <translation>重新进行这次运行的命令</translation>
    </message>
    <message>
        <source>Copy as &amp;triton.Config</source>
        <translation>复制为 triton.Config(&amp;T)</translation>
    </message>
    <message>
        <source>The settings of each kernel</source>
        <translation>每个内核的设置</translation>
    </message>
    <message>
        <source>HTML &amp;report …</source>
        <translation>HTML 报告(&amp;R)…</translation>
    </message>
    <message>
        <source>CS&amp;V …</source>
        <translation>CSV(&amp;V)…</translation>
    </message>
    <message>
        <source>Par&amp;quet …</source>
        <translation>Parquet(&amp;Q)…</translation>
    </message>
    <message>
        <source>&amp;JSON …</source>
        <translation>JSON(&amp;J)…</translation>
    </message>
    <message>
        <source>&amp;Notebook …</source>
        <translation>笔记本(&amp;N)…</translation>
    </message>
    <message>
        <source>Python &amp;script …</source>
        <translation>Python 脚本(&amp;S)…</translation>
    </message>
    <message>
        <source>Add a &amp;machine …</source>
        <translation>添加机器(&amp;M)…</translation>
    </message>
    <message>
        <source>Run on the GPUs of another machine, which your own ssh reaches</source>
        <translation>在另一台机器的 GPU 上运行，用您自己的 ssh 连接</translation>
    </message>
    <message>
        <source>Dark or light</source>
        <translation>深色或浅色</translation>
    </message>
    <message>
        <source>Change between dark and light</source>
        <translation>在深色与浅色之间切换</translation>
    </message>
    <message>
        <source>It had a kernel of somebody&apos;s own, which is not run unless you agree: see Your kernel.</source>
        <translation>其中有一个自定义内核，未经您同意不会运行：见“您的内核”。</translation>
    </message>
    <message>
        <source>compile</source>
        <translation>编译</translation>
    </message>
    <message>
        <source>run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Choose a problem</source>
        <translation>选择问题</translation>
    </message>
    <message>
        <source>M is the number of rows, N that of columns. Move a slider: with Live on, the kernels run at once.</source>
        <translation>M 是行数，N 是列数。移动滑块：“实时”开启时，内核立即运行。</translation>
    </message>
    <message>
        <source>Choose how many locks</source>
        <translation>选择锁的个数</translation>
    </message>
    <message>
        <source>Each row adds its share of dw and db to one of GROUP_SIZE_M buffers, behind a lock. Try 1, then 16.</source>
        <translation>每行把自己对 dw 和 db 的那一份加到 GROUP_SIZE_M 个缓冲区之一，由锁保护。先试 1，再试 16。</translation>
    </message>
    <message>
        <source>Watch the rows queue</source>
        <translation>观察各行排队</translation>
    </message>
    <message>
        <source>Press play, or the arrows for the next event. A click on a row follows it.</source>
        <translation>按播放，或用方向键到下一个事件。点击一行即可跟踪它。</translation>
    </message>
    <message>
        <source>Check the results</source>
        <translation>检查结果</translation>
    </message>
    <message>
        <source>y, dx, dw and db against PyTorch and against float64, down to the single element.</source>
        <translation>y、dx、dw 和 db 与 PyTorch 以及 float64 对照，细到单个元素。</translation>
    </message>
    <message>
        <source>See how fast it is</source>
        <translation>看看有多快</translation>
    </message>
    <message>
        <source>On a GPU: GB/s beside PyTorch and the ceiling. Without one, watch a recorded run of an H200.</source>
        <translation>有 GPU：GB/s 与 PyTorch 和上限并列。没有 GPU：观看 H200 上实测的运行。</translation>
    </message>
    <message>
        <source>Parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>Reduction</source>
        <translation>归约</translation>
    </message>
    <message>
        <source>Correctness</source>
        <translation>正确性</translation>
    </message>
    <message>
        <source>Throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>参数扫描</translation>
    </message>
    <message>
        <source>Experiments</source>
        <translation>实验</translation>
    </message>
    <message>
        <source>{entry} is called {name}: take letters, digits, _ . and -, at most 60</source>
        <translation>{entry} 的名称是 {name}：请用字母、数字、_ . 和 -，最多 60 个字符</translation>
    </message>
    <message>
        <source>The median did not settle in the time given, {direction}, {way}: {names}. Measure longer.</source>
        <translation>中位数在给定时间内没有稳定，{direction}，{way}：{names}。请延长测量。</translation>
    </message>
    <message>
        <source>The programs start, one for each row. At most {count} are on the GPU at once.</source>
        <translation>程序实例启动，每行一个。GPU 上同时最多有 {count} 个。</translation>
    </message>
    <message>
        <source>{time}: row {row} takes lock {lock}, the first of all.</source>
        <translation>{time}：第 {row} 行取得锁 {lock}，所有行中最早。</translation>
    </message>
    <message>
        <source>{time}: half of the rows are in their buffers.</source>
        <translation>{time}：一半的行已在各自的缓冲区中。</translation>
    </message>
    <message>
        <source>{time}: row {row} gives the last lock back. Stage 1 ends.</source>
        <translation>{time}：第 {row} 行释放最后一把锁。阶段 1 结束。</translation>
    </message>
    <message>
        <source>just as long</source>
        <translation>一样长</translation>
    </message>
    <message>
        <source>There are {buffers} buffers. How many numbers stand beside them, and what for?</source>
        <translation>有 {buffers} 个缓冲区。旁边要有几个数，用来做什么？</translation>
    </message>
    <message>
        <source>G locks, G counts: that is why the kernel allocates 2 · G numbers.</source>
        <translation>G 把锁，G 个计数：所以内核要分配 2 · G 个数。</translation>
    </message>
    <message>
        <source>{buffers} buffers: stage 1 takes {time}. With half as many buffers it takes …</source>
        <translation>{buffers} 个缓冲区：阶段 1 需要 {time}。缓冲区减半后…</translation>
    </message>
    <message>
        <source>Rows per lock double, and they pass one after the other.</source>
        <translation>每把锁的行数加倍，而它们只能一个接一个地通过。</translation>
    </message>
    <message>
        <source>{number}: a lock and a count for each buffer</source>
        <translation>{number}：每个缓冲区一把锁和一个计数</translation>
    </message>
    <message>
        <source>{number}: a lock for each buffer</source>
        <translation>{number}：每个缓冲区一把锁</translation>
    </message>
    <message>
        <source>{number}: a lock for each row and buffer</source>
        <translation>{number}：每行在每个缓冲区各有一把锁</translation>
    </message>
    <message>
        <source>{number} numbers, {bytes} bytes. The count says whether the buffer has been written. Without it, a second pass adds to the first one&apos;s sums: dw[{column}] = {wrong} instead of {right}.</source>
        <translation>{number} 个数，{bytes} 字节。计数说明缓冲区是否已经写过。没有它，第二次反向传播会加到第一次的和上：dw[{column}] = {wrong}，而不是 {right}。</translation>
    </message>
    <message>
        <source>{factor} times as long</source>
        <translation>{factor} 倍</translation>
    </message>
    <message>
        <source>LayerNorm&apos;s backward pass:
a reduction with locks</source>
        <translation>LayerNorm 的反向传播：
带锁的归约</translation>
    </message>
    <message>
        <source>By hand: 4 rows, 2 buffers</source>
        <translation>手算：4 行，2 个缓冲区</translation>
    </message>
    <message>
        <source>{m} rows, {buffers} buffers</source>
        <translation>{m} 行，{buffers} 个缓冲区</translation>
    </message>
    <message>
        <source>Half the buffers, {factor} times as long: rows that share a lock pass one after the other.</source>
        <translation>缓冲区减半，用时 {factor} 倍：共用一把锁的行只能一个接一个地通过。</translation>
    </message>
    <message>
        <source>dx needs one row. dw and db need all rows: they are a reduction.</source>
        <translation>dx 只需要一行。dw 和 db 需要所有行：这是归约。</translation>
    </message>
    <message>
        <source>The fastest lock is none: sums of one&apos;s own, added at the end.</source>
        <translation>最快的锁是没有锁：各算各的和，最后再相加。</translation>
    </message>
    <message>
        <source>What comes in: x, dy and the weight w</source>
        <translation>输入：x、dy 和权重 w</translation>
    </message>
    <message>
        <source>M = {m} rows, N = {n} columns. eps is 0 here, so that every number can be checked on paper.</source>
        <translation>M = {m} 行，N = {n} 列。这里取 eps = 0，好让每个数都能在纸上验算。</translation>
    </message>
    <message>
        <source>x is the input, dy the gradient that arrives, w the weight. The bias b plays no part in the gradients.</source>
        <translation>x 是输入，dy 是传来的梯度，w 是权重。偏置 b 不参与梯度的计算。</translation>
    </message>
    <message>
        <source>The forward pass has kept mean and rstd of each row: the backward pass only loads them.</source>
        <translation>前向传播保存了每行的 mean 和 rstd：反向传播只需读取。</translation>
    </message>
    <message>
        <source>Normalization: every row gets mean 0 and spread 1</source>
        <translation>归一化：每行的均值变为 0，标准差变为 1</translation>
    </message>
    <message>
        <source>Subtract the mean, multiply by rstd.</source>
        <translation>减去均值，乘以 rstd。</translation>
    </message>
    <message>
        <source>Only 1 and −1: the example was chosen so. Real rows are not like this.</source>
        <translation>全是 1 或 −1：例子特意这样选。真实的行并非如此。</translation>
    </message>
    <message>
        <source>Two means over a row: c1 and c2</source>
        <translation>一行上的两个均值：c1 和 c2</translation>
    </message>
    <message>
        <source>Both are means over the N columns of one row.</source>
        <translation>两者都是一行中 N 列上的均值。</translation>
    </message>
    <message>
        <source>dx needs nothing but its own row</source>
        <translation>dx 只需要自己的一行</translation>
    </message>
    <message>
        <source>So the rows can be computed at the same time, each by a program of its own.</source>
        <translation>所以各行可以同时计算，每行由一个程序实例负责。</translation>
    </message>
    <message>
        <source>dw and db need all rows: a reduction</source>
        <translation>dw 和 db 需要所有行：归约</translation>
    </message>
    <message>
        <source>Each program has a row for dw and one for db. They are added over all rows, column by column.</source>
        <translation>每个程序实例有一行给 dw，一行给 db。它们要在所有行上逐列相加。</translation>
    </message>
    <message>
        <source>This is the turn of the story: columns now cross programs. How can programs add to one place?</source>
        <translation>这里是转折：列要跨越各个程序实例。多个程序实例怎样加到同一处？</translation>
    </message>
    <message>
        <source>{m} programs start, one for each row. Row r belongs to buffer r mod {g}.</source>
        <translation>{m} 个程序实例启动，每行一个。第 r 行属于缓冲区 r mod {g}。</translation>
    </message>
    <message>
        <source>Colours are locks: even rows one colour, odd rows the other.</source>
        <translation>颜色代表锁：偶数行一种颜色，奇数行另一种。</translation>
    </message>
    <message>
        <source>From 4 rows to thousands. Every lock now serves many rows.</source>
        <translation>从 4 行到几千行。现在每把锁要服务许多行。</translation>
    </message>
    <message>
        <source>What to take home</source>
        <translation>要点</translation>
    </message>
    <message>
        <source>give all settings of one measurement the same</source>
        <translation>一次测量的所有设置须取相同的值</translation>
    </message>
    <message>
        <source>{after} overtakes {before} between {axis} = {low} and {high}</source>
        <translation>{after} 在 {axis} = {low} 与 {high} 之间超过 {before}</translation>
    </message>
    <message>
        <source>The worker crashed ({signal}) {when}.</source>
        <translation>工作进程在{when}崩溃（{signal}）。</translation>
    </message>
    <message>
        <source>Recorded experiment: {path}</source>
        <translation>实测的实验：{path}</translation>
    </message>
    <message>
        <source>Experiment of the history: {title}</source>
        <translation>历史中的实验：{title}</translation>
    </message>
    <message>
        <source>{done} of {total}</source>
        <translation>{done} / {total}</translation>
    </message>
    <message>
        <source>{done} · {state}</source>
        <translation>{done} · {state}</translation>
    </message>
    <message>
        <source>Share of the measured ceiling</source>
        <translation>占实测上限的比例</translation>
    </message>
    <message>
        <source>cancelled</source>
        <translation>已取消</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>{state} after {done} of {total} steps</source>
        <translation>{state}，完成 {done} / {total} 步</translation>
    </message>
    <message>
        <source>{state} · {reason}</source>
        <translation>{state} · {reason}</translation>
    </message>
    <message>
        <source>{difference} % (95 %: {low} to {high} %)</source>
        <translation>{difference} %（95 %：{low} 到 {high} %）</translation>
    </message>
    <message>
        <source>another problem</source>
        <translation>问题不同</translation>
    </message>
    <message>
        <source>another device</source>
        <translation>设备不同</translation>
    </message>
    <message>
        <source>not finished</source>
        <translation>未完成</translation>
    </message>
    <message>
        <source>Kernels alone, cold L2, by 2·M·N elements; in brackets all bytes requested</source>
        <translation>仅内核，冷 L2，按 2·M·N 个元素计；括号内按请求的全部字节计</translation>
    </message>
    <message>
        <source>Kernels alone, cold L2, by 3·M·N elements; in brackets all bytes requested</source>
        <translation>仅内核，冷 L2，按 3·M·N 个元素计；括号内按请求的全部字节计</translation>
    </message>
    <message>
        <source>within noise</source>
        <translation>在噪声之内</translation>
    </message>
    <message>
        <source>error {name}</source>
        <translation>{name} 的误差</translation>
    </message>
    <message>
        <source>Locks, recorded: by GROUP_SIZE_M</source>
        <translation>锁的实测记录：按 GROUP_SIZE_M</translation>
    </message>
    <message>
        <source>Small problems, with every number</source>
        <translation>小问题，含全部数值</translation>
    </message>
    <message>
        <source>Benchmarks and sweeps</source>
        <translation>基准测试与参数扫描</translation>
    </message>
    <message>
        <source>Triton&apos;s documentation, backward: {problem}</source>
        <translation>Triton 文档，反向：{problem}</translation>
    </message>
    <message>
        <source>its GPU is not named</source>
        <translation>未注明 GPU</translation>
    </message>
    <message>
        <source>Sweep: {title}</source>
        <translation>参数扫描：{title}</translation>
    </message>
    <message>
        <source>Benchmark over N: {problem}</source>
        <translation>随 N 变化的基准测试：{problem}</translation>
    </message>
    <message>
        <source>Copy as a command</source>
        <translation>复制为命令</translation>
    </message>
    <message>
        <source>Write a note</source>
        <translation>填写备注</translation>
    </message>
    <message>
        <source>Copy as a table</source>
        <translation>复制为表格</translation>
    </message>
    <message>
        <source>Go on with it</source>
        <translation>继续这次参数扫描</translation>
    </message>
    <message>
        <source>Export its rows …</source>
        <translation>导出各行…</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Undo the deletion</source>
        <translation>撤销删除</translation>
    </message>
    <message>
        <source>step before</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>pointer</source>
        <translation>指示点</translation>
    </message>
    <message>
        <source>black screen</source>
        <translation>黑屏</translation>
    </message>
    <message>
        <source>English or Chinese</source>
        <translation>英文或中文</translation>
    </message>
    <message>
        <source>all keys</source>
        <translation>所有按键</translation>
    </message>
    <message>
        <source>leave</source>
        <translation>离开</translation>
    </message>
    <message>
        <source>&amp;Open …</source>
        <translation>打开(&amp;O)…</translation>
    </message>
    <message>
        <source>A recording, sweep, experiment or session; what a session holds is added to the history</source>
        <translation>实测记录、参数扫描、实验或会话；会话中的内容会加入历史</translation>
    </message>
    <message>
        <source>Saved as {path}</source>
        <translation>已保存为 {path}</translation>
    </message>
    <message>
        <source>dropout, seed</source>
        <translation>dropout，种子</translation>
    </message>
    <message>
        <source>dropout, mask</source>
        <translation>dropout，掩码</translation>
    </message>
    <message>
        <source>fused, seed</source>
        <translation>融合，种子</translation>
    </message>
    <message>
        <source>in steps, mask</source>
        <translation>逐个进行，掩码</translation>
    </message>
    <message>
        <source>Fused with addition and norm: {forward} the speed of PyTorch&apos;s three steps forward, {backward} backward.</source>
        <translation>与加法和归一化融合：前向为 PyTorch 三个步骤速度的 {forward}，反向为 {backward}。</translation>
    </message>
    <message>
        <source>Usual arra&amp;ngement</source>
        <translation>恢复布局(&amp;N)</translation>
    </message>
    <message>
        <source>Le&amp;cture</source>
        <translation>讲座(&amp;C)</translation>
    </message>
    <message>
        <source>Copy &amp;as command</source>
        <translation>复制为命令(&amp;A)</translation>
    </message>
    <message>
        <source>CSV, a row a fi&amp;gure …</source>
        <translation>CSV，每项数值一行(&amp;G)…</translation>
    </message>
    <message>
        <source>lnexplorer {version}: choose, run, compare, measure and watch Triton&apos;s LayerNorm kernels.</source>
        <translation>lnexplorer {version}：选择、运行、比较、测量并观察 Triton 的层归一化内核。</translation>
    </message>
    <message>
        <source>Recording: {title} ({path})</source>
        <translation>实测记录：{title}（{path}）</translation>
    </message>
    <message>
        <source>There is neither a finished run nor a trace to save yet.</source>
        <translation>还没有可以保存的已完成运行或追踪。</translation>
    </message>
    <message>
        <source>Nothing has been run yet.</source>
        <translation>还没有运行过。</translation>
    </message>
    <message>
        <source>There is no finished run to copy or to export yet.</source>
        <translation>还没有可以复制或导出的已完成运行。</translation>
    </message>
    <message>
        <source>There is no timeline of locks to save.</source>
        <translation>没有可保存的锁时间线。</translation>
    </message>
    <message>
        <source>Copied: 1 line.</source>
        <translation>已复制 1 行。</translation>
    </message>
    <message>
        <source>Copied: {lines} lines.</source>
        <translation>已复制 {lines} 行。</translation>
    </message>
    <message>
        <source>No chart is on the screen.</source>
        <translation>屏幕上没有图表。</translation>
    </message>
    <message>
        <source>Session: {path} · {contents}</source>
        <translation>会话：{path} · {contents}</translation>
    </message>
    <message>
        <source>Left out is {part}.</source>
        <translation>未打开的部分：{part}。</translation>
    </message>
    <message>
        <source>runs: {count}</source>
        <translation>运行：{count}</translation>
    </message>
    <message>
        <source>sweeps: {count}</source>
        <translation>参数扫描：{count}</translation>
    </message>
    <message>
        <source>experiments: {count}</source>
        <translation>实验：{count}</translation>
    </message>
    <message>
        <source>Saved as {path} · {contents}</source>
        <translation>已保存为 {path} · {contents}</translation>
    </message>
    <message>
        <source>A sweep is under way: those of the session are in the history.</source>
        <translation>有一次参数扫描正在进行：会话中的参数扫描已放入历史。</translation>
    </message>
    <message>
        <source>parameters alone</source>
        <translation>仅参数</translation>
    </message>
    <message>
        <source>Runs of the history that are not in it: {count}</source>
        <translation>历史中未放入的运行：{count}</translation>
    </message>
    <message>
        <source>Compiled</source>
        <translation>编译结果</translation>
    </message>
    <message>
        <source>Memory access</source>
        <translation>访存</translation>
    </message>
    <message>
        <source>Your kernel</source>
        <translation>您的内核</translation>
    </message>
    <message>
        <source>History</source>
        <translation>历史</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>One run: its parameters, the reduction, errors and speeds</source>
        <translation>一次运行：参数、归约、误差和速度</translation>
    </message>
    <message>
        <source>One question each: group size, barrier, order, strategies</source>
        <translation>各答一个问题：组大小、屏障、顺序、策略</translation>
    </message>
    <message>
        <source>What one program loads and stores, and where that is in the source</source>
        <translation>一个程序实例加载和存储什么，以及在源码中的位置</translation>
    </message>
    <message>
        <source>A file of your own, checked and timed at every save</source>
        <translation>您自己的文件，每次保存都检查并计时</translation>
    </message>
    <message>
        <source>Runs, sweeps and experiments that were kept; recordings from GPUs</source>
        <translation>保存下来的运行、参数扫描和实验；GPU 上的实测记录</translation>
    </message>
    <message>
        <source>Kernels alone, L2 flushed before each repetition</source>
        <translation>仅内核，每次重复前清空 L2</translation>
    </message>
    <message>
        <source>Kernels alone, L2 as the repetition before left it</source>
        <translation>仅内核，L2 保持上一次重复后的状态</translation>
    </message>
    <message>
        <source>A call through autograd, with Python and the allocator</source>
        <translation>经 autograd 的调用，含 Python 和内存分配</translation>
    </message>
    <message>
        <source>Recorded sweep: {title} ({path})</source>
        <translation>实测的参数扫描：{title}（{path}）</translation>
    </message>
    <message>
        <source>A sweep of something else is under way: end it to look at these figures.</source>
        <translation>另一次参数扫描正在进行：结束它才能查看这些数值。</translation>
    </message>
    <message>
        <source>A sweep is under way: end it to look at another one.</source>
        <translation>有一次参数扫描正在进行：结束它才能查看另一次参数扫描。</translation>
    </message>
    <message>
        <source>There is no row of a sweep to save yet.</source>
        <translation>还没有可以保存的参数扫描结果。</translation>
    </message>
    <message>
        <source>A sweep is under way: end it to look at a recorded one.</source>
        <translation>有一次参数扫描正在进行：结束它才能查看实测的参数扫描。</translation>
    </message>
    <message>
        <source>{error} Its rows are on the screen only.</source>
        <translation>{error}它的各行只显示在屏幕上。</translation>
    </message>
    <message>
        <source>{path} holds no benchmark.</source>
        <translation>{path} 中没有基准测试。</translation>
    </message>
    <message>
        <source>{path} is of version {version}; this program reads version {known}.</source>
        <translation>{path} 的版本是 {version}；本程序读取版本 {known}。</translation>
    </message>
    <message>
        <source>{path} is not JSON: it is damaged, or no benchmark.</source>
        <translation>{path} 不是 JSON：它已损坏，或者不是基准测试。</translation>
    </message>
    <message>
        <source>{path} is damaged ({why}).</source>
        <translation>{path} 已损坏（{why}）。</translation>
    </message>
    <message>
        <source>{path} is not written: there is no run to export.</source>
        <translation>未写入 {path}：没有可导出的运行。</translation>
    </message>
    <message>
        <source>it is not a {kind}, or not whole: its end is missing</source>
        <translation>它不是{kind}，或者不完整：缺少结尾</translation>
    </message>
    <message>
        <source>it is not whole: it holds no {name}</source>
        <translation>它不完整：其中没有 {name}</translation>
    </message>
    <message>
        <source>it is not a {kind} of this program</source>
        <translation>它不是本程序的{kind}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>its ways of dropout are {ways}</source>
        <translation>它的 dropout 方式是 {ways}</translation>
    </message>
    <message>
        <source>{path} holds no times of locks.</source>
        <translation>{path} 中没有锁的时间。</translation>
    </message>
    <message>
        <source>{path} is left out: {why}.</source>
        <translation>{path} 被略去：{why}。</translation>
    </message>
    <message>
        <source>There is no file {name} among the recordings.</source>
        <translation>实测记录中没有文件 {name}。</translation>
    </message>
    <message>
        <source>{path} cannot be read ({why}).</source>
        <translation>无法读取 {path}（{why}）。</translation>
    </message>
    <message>
        <source>The {kind} cannot be saved as {path}: {why}.</source>
        <translation>无法把{kind}保存为 {path}：{why}。</translation>
    </message>
    <message>
        <source>it is larger than a {kind} can be</source>
        <translation>它比{kind}可有的大小更大</translation>
    </message>
    <message>
        <source>its manifest is not complete ({why})</source>
        <translation>它的清单不完整（{why}）</translation>
    </message>
    <message>
        <source>{path} cannot be opened: {why}.</source>
        <translation>无法打开 {path}：{why}。</translation>
    </message>
    <message>
        <source>its run</source>
        <translation>其中的运行</translation>
    </message>
    <message>
        <source>its sweep</source>
        <translation>其中的参数扫描</translation>
    </message>
    <message>
        <source>its experiment</source>
        <translation>其中的实验</translation>
    </message>
    <message>
        <source>{what} is not possible: {problem}</source>
        <translation>{what}不可能：{problem}</translation>
    </message>
    <message>
        <source>its timeline is impossible: {why}</source>
        <translation>其中的时间线不可能：{why}</translation>
    </message>
    <message>
        <source>its sizes are fewer than 2, or not in their order, each once</source>
        <translation>其尺寸少于 2 个，或没有按次序各出现一次</translation>
    </message>
    <message>
        <source>it counts wrong runs or sums that there are not</source>
        <translation>它所计的出错运行或和并不存在</translation>
    </message>
    <message>
        <source>row {cell}: {why}</source>
        <translation>第 {cell} 行：{why}</translation>
    </message>
    <message>
        <source>it is not as SQLite writes it</source>
        <translation>它不是 SQLite 写成的样子</translation>
    </message>
    <message>
        <source>it is no database</source>
        <translation>它不是数据库</translation>
    </message>
    <message>
        <source>{path} is damaged: {why}.</source>
        <translation>{path} 已损坏：{why}。</translation>
    </message>
    <message>
        <source>{path} cannot be used: {why}.</source>
        <translation>{path} 无法使用：{why}。</translation>
    </message>
    <message>
        <source>it has version {version}, and this program reads version {known}</source>
        <translation>它的版本是 {version}，而本程序读取版本 {known}</translation>
    </message>
    <message>
        <source>the shape of {what} is {found}</source>
        <translation>{what} 的形状是 {found}</translation>
    </message>
    <message>
        <source>{path} is a database of another program, and is left as it is.</source>
        <translation>{path} 是另一个程序的数据库，会保持原样。</translation>
    </message>
    <message>
        <source>{path} is empty.</source>
        <translation>{path} 是空的。</translation>
    </message>
    <message>
        <source>{path} is damaged, and cannot be renamed ({why}).</source>
        <translation>{path} 已损坏，且无法重命名（{why}）。</translation>
    </message>
    <message>
        <source>File too large</source>
        <translation>文件过大</translation>
    </message>
    <message>
        <source>File name too long</source>
        <translation>文件名过长</translation>
    </message>
    <message>
        <source>{path} cannot be written ({why}).{after}</source>
        <translation>无法写入 {path}（{why}）。{after}</translation>
    </message>
    <message>
        <source>{path} cannot be opened: it is larger than {most} MiB.</source>
        <translation>无法打开 {path}：它大于 {most} MiB。</translation>
    </message>
    <message>
        <source>There is no run {id}.</source>
        <translation>没有运行 {id}。</translation>
    </message>
    <message>
        <source>There is no experiment {id}.</source>
        <translation>没有实验 {id}。</translation>
    </message>
    <message>
        <source>Run {id} cannot be read: {why}.</source>
        <translation>无法读取运行 {id}：{why}。</translation>
    </message>
    <message>
        <source>Experiment {id} cannot be read: {why}.</source>
        <translation>实验 {id} 无法读取：{why}。</translation>
    </message>
    <message>
        <source>it is not whole</source>
        <translation>它不完整</translation>
    </message>
    <message>
        <source>it is damaged ({why})</source>
        <translation>它已损坏（{why}）</translation>
    </message>
    <message>
        <source>{part}: {why}</source>
        <translation>{part}：{why}</translation>
    </message>
    <message>
        <source>how panes show what they have</source>
        <translation>各面板的显示方式</translation>
    </message>
    <message>
        <source>The settings cannot be saved in {path} ({why}).</source>
        <translation>无法把设置保存到 {path}（{why}）。</translation>
    </message>
    <message>
        <source>The settings in {path} cannot be read ({why}); the defaults are in use.</source>
        <translation>无法读取 {path} 中的设置（{why}）；正在使用默认值。</translation>
    </message>
    <message>
        <source>Sweep {sweep} is running in another window or command: wait for its end, or end it there.</source>
        <translation>参数扫描 {sweep} 正在另一个窗口或命令中进行：请等待它结束，或在那里结束它。</translation>
    </message>
    <message>
        <source>There is no sweep {sweep}.</source>
        <translation>没有参数扫描 {sweep}。</translation>
    </message>
    <message>
        <source>Sweep {sweep} cannot be read: {why}.</source>
        <translation>无法读取参数扫描 {sweep}：{why}。</translation>
    </message>
    <message>
        <source>Sweep {sweep} is running: cancel it before it is deleted.</source>
        <translation>参数扫描 {sweep} 正在进行：请先取消再删除。</translation>
    </message>
    <message>
        <source>Row {cell} of sweep {sweep} is left out: {why}.</source>
        <translation>参数扫描 {sweep} 的第 {cell} 行被略去：{why}。</translation>
    </message>
    <message>
        <source>There is a GPU ({gpu}), but torch {version} cannot use it.</source>
        <translation>有一个 GPU（{gpu}），但 torch {version} 无法使用它。</translation>
    </message>
    <message>
        <source>{gpu} has compute capability {has}, and the spin lock needs {least} or above.</source>
        <translation>{gpu} 的计算能力是 {has}，而自旋锁至少需要 {least}。</translation>
    </message>
    <message>
        <source>The NVIDIA driver {driver} sees no GPU.</source>
        <translation>NVIDIA 驱动 {driver} 没有发现 GPU。</translation>
    </message>
    <message>
        <source>There is a GPU ({gpu}), but torch {version} is a build without CUDA: install a build of torch with CUDA.</source>
        <translation>有一个 GPU（{gpu}），但 torch {version} 是不带 CUDA 的版本：请安装带 CUDA 的 torch。</translation>
    </message>
    <message>
        <source>There is a GPU ({gpu}), but CUDA_VISIBLE_DEVICES = {value} hides it.</source>
        <translation>有一个 GPU（{gpu}），但 CUDA_VISIBLE_DEVICES = {value} 把它隐藏了。</translation>
    </message>
    <message>
        <source>There is a GPU ({gpu}), but its driver {driver} serves CUDA {served} at most, and torch {version} is built for CUDA {built}: install a newer driver.</source>
        <translation>有一个 GPU（{gpu}），但它的驱动 {driver} 最高支持 CUDA {served}，而 torch {version} 是为 CUDA {built} 构建的：请安装更新的驱动。</translation>
    </message>
    <message>
        <source>{path} is not the file that was opened: start the program again.</source>
        <translation>{path} 已不是打开时的那个文件：请重新启动程序。</translation>
    </message>
    <message>
        <source>{path} is of a newer version: it is left as it is.</source>
        <translation>{path} 的版本较新：它保持原样。</translation>
    </message>
    <message>
        <source>Row {id} of {table} is damaged: it is left out.</source>
        <translation>{table} 的第 {id} 行已损坏：已略去。</translation>
    </message>
    <message>
        <source>{damage} It is kept as {kept}, and a new one is begun.</source>
        <translation>{damage} 它被保留为 {kept}，并新建了一个。</translation>
    </message>
    <message>
        <source>Without the barrier</source>
        <translation>没有屏障</translation>
    </message>
    <message>
        <source>Without barrier and atomic count</source>
        <translation>没有屏障和原子计数</translation>
    </message>
    <message>
        <source>barrier left out, plain count</source>
        <translation>去掉屏障，普通计数</translation>
    </message>
    <message>
        <source>With the barrier</source>
        <translation>有屏障</translation>
    </message>
    <message>
        <source>{side}, none of {runs} runs had wrong sums (below {bound} at 95 % confidence).</source>
        <translation>{side}时，{runs} 次运行中没有一次出错（95 % 置信度下低于 {bound}）。</translation>
    </message>
    <message>
        <source>{side}, {wrong} of {runs} runs had wrong sums ({share}); columns with them: {columns} of {n}.</source>
        <translation>{side}时，{runs} 次运行中有 {wrong} 次结果出错（{share}）；出错的列：{n} 列中的 {columns} 列。</translation>
    </message>
    <message>
        <source>leave it out: only invariance takes providers</source>
        <translation>请省略：只有 invariance 接受提供者</translation>
    </message>
    <message>
        <source>it did not hang.</source>
        <translation>没有卡住。</translation>
    </message>
    <message>
        <source>a lock that is not given back</source>
        <translation>没有释放的锁</translation>
    </message>
    <message>
        <source>two locks in two orders</source>
        <translation>以两种顺序取的两个锁</translation>
    </message>
    <message>
        <source>a wait for a later program</source>
        <translation>等待后面的程序实例</translation>
    </message>
    <message>
        <source>a loop without end</source>
        <translation>没有尽头的循环</translation>
    </message>
    <message>
        <source>The interpreter runs one program after the other: those behind one that waits never begin, and two rows never hold a lock at once.</source>
        <translation>解释器逐个运行程序实例：排在等待者之后的永远不会开始，也从不会有两行同时持有锁。</translation>
    </message>
    <message>
        <source>Kernels that hang</source>
        <translation>会卡住的内核</translation>
    </message>
    <message>
        <source>Why does a kernel hang, and which row, lock and line is the cause?</source>
        <translation>内核为什么会卡住，原因在哪一行、哪个锁、哪行代码？</translation>
    </message>
    <message>
        <source>it has kernels that are not known, or rows without their state</source>
        <translation>其中有未知的内核，或没有状态的行</translation>
    </message>
    <message>
        <source>other M</source>
        <translation>其他 M</translation>
    </message>
    <message>
        <source>rows before</source>
        <translation>其前的行</translation>
    </message>
    <message>
        <source>NaN rows beside</source>
        <translation>旁边有 NaN 行</translation>
    </message>
    <message>
        <source>elements between rows</source>
        <translation>行间的元素</translation>
    </message>
    <message>
        <source>other SMs</source>
        <translation>其他 SM 数</translation>
    </message>
    <message>
        <source>run to run</source>
        <translation>各次运行之间</translation>
    </message>
    <message>
        <source>Whose bits change</source>
        <translation>谁的比特位会变</translation>
    </message>
    <message>
        <source>Does a row keep its bits when the batch around it changes?</source>
        <translation>周围的批次变化时，一行的比特位会保持不变吗？</translation>
    </message>
    <message>
        <source>{by} % {how} ({low} to {high})</source>
        <translation>{how} {by} %（{low} 至 {high}）</translation>
    </message>
    <message>
        <source>{share} of the time: {name}</source>
        <translation>占时间的 {share}：{name}</translation>
    </message>
    <message>
        <source>time of both passes, ms</source>
        <translation>两个方向的时间，ms</translation>
    </message>
    <message>
        <source>no difference ({low} to {high} %)</source>
        <translation>无差异（{low} 至 {high} %）</translation>
    </message>
    <message>
        <source>faster</source>
        <translation>更快</translation>
    </message>
    <message>
        <source>slower</source>
        <translation>更慢</translation>
    </message>
    <message>
        <source>What would be faster</source>
        <translation>什么会更快</translation>
    </message>
    <message>
        <source>Which setting one step away is faster, and what limits the present one?</source>
        <translation>哪个相差一步的设置更快，当前设置受什么限制？</translation>
    </message>
    <message>
        <source>no time</source>
        <translation>没有时间</translation>
    </message>
    <message>
        <source>within tolerance</source>
        <translation>在容差内</translation>
    </message>
    <message>
        <source>No setting one step away is known to be faster.</source>
        <translation>目前没有已知更快的相差一步的设置。</translation>
    </message>
    <message>
        <source>The path so far: {steps}.</source>
        <translation>已走过的路径：{steps}。</translation>
    </message>
    <message>
        <source>The present setting: {setting}.</source>
        <translation>当前设置：{setting}。</translation>
    </message>
    <message>
        <source>Times are of both passes, kernels alone, cold L2, in {rounds} rounds of new captures; in brackets are 95 % intervals. Parts of the time overlap.</source>
        <translation>时间为两个方向之和，仅内核，L2 为冷，共 {rounds} 轮，每轮重新捕获；括号内为 95 % 区间。各部分时间互相重叠。</translation>
    </message>
    <message>
        <source>as it is</source>
        <translation>当前设置</translation>
    </message>
    <message>
        <source>{kernel}: {share} of warps resident, limited by {resource}</source>
        <translation>{kernel}：{share} 的 warp 驻留，受限于 {resource}</translation>
    </message>
    <message>
        <source>it names a kernel to be run, or what is no setting</source>
        <translation>它指定了要运行的内核，或并非设置的名称</translation>
    </message>
    <message>
        <source>{text}.</source>
        <translation>{text}。</translation>
    </message>
    <message>
        <source>Take {change}</source>
        <translation>采用 {change}</translation>
    </message>
    <message>
        <source>{kernel}: {share} of lanes masked</source>
        <translation>{kernel}：{share} 的通道被屏蔽</translation>
    </message>
    <message>
        <source>{kernel}: {size} B a thread spilled</source>
        <translation>{kernel}：每线程溢出 {size} B</translation>
    </message>
    <message>
        <source>The barrier waits until all threads have stored; the fence, of the one thread that gives the lock back, stands in all. Without the barrier, others may store after it.</source>
        <translation>屏障等到所有线程都已写入；释放锁的那一个线程的内存栅栏在三种情况下都有。没有屏障时，其他线程可能在它之后才写入。</translation>
    </message>
    <message>
        <source>The switch takes out one instruction, the barrier: {on} BAR.SYNC in all of stage 1 become {off}. Another switch makes the atomic count a load and a store without its own {of_count} barriers: {plain} are left. The kernel as first published had neither.</source>
        <translation>这个开关只去掉一条指令，即屏障：整个阶段 1 的 {on} 个 BAR.SYNC 变成 {off} 个。另一个开关把原子计数改为一次读取和一次写入，不再有它自己的 {of_count} 个屏障：剩下 {plain} 个。最初发布的内核两者都没有。</translation>
    </message>
    <message>
        <source>Columns are lost with their neighbours.</source>
        <translation>丢失的列与相邻的列一起丢失。</translation>
    </message>
    <message>
        <source>Inputs are 1 or −1, so sums are exact. A wrong one is one row short, and each run loses other columns. [Ask why neighbours are wrong together.]</source>
        <translation>输入是 1 或 −1，因此和是精确的。错误的和少了一行，每次运行丢失的列也不同。[问一问：为什么相邻的列一起出错？]</translation>
    </message>
    <message>
        <source>{side}: {m} × {n}, {buffers} buffers.</source>
        <translation>{side}：{m} × {n}，{buffers} 个缓冲区。</translation>
    </message>
    <message>
        <source>A fault of timing: a test that passes says little. Where the barrier alone is left out, no run showed the fault, and the code has it.</source>
        <translation>这是时序错误：一次通过的测试说明不了什么。只去掉屏障时，没有一次运行显出错误，但代码里确有这个错误。</translation>
    </message>
    <message>
        <source>plain count</source>
        <translation>普通计数</translation>
    </message>
    <message>
        <source>hands it out</source>
        <translation>传给各线程</translation>
    </message>
    <message>
        <source>stores sums</source>
        <translation>写入各个和</translation>
    </message>
    <message>
        <source>{side}: how many of {runs} runs have wrong sums?</source>
        <translation>{side}：{runs} 次运行中有多少次结果出错？</translation>
    </message>
    <message>
        <source>same</source>
        <translation>相同</translation>
    </message>
    <message>
        <source>The GPU promises that a program that is on it goes on. It promises no order. Two kernels that hang tell why ({kind}): {locks} {barrier}</source>
        <translation>GPU 保证位于它上面的程序实例会继续执行，但不保证任何次序。两个卡住的内核说明了原因（{kind}）：{locks}{barrier}</translation>
    </message>
    <message>
        <source>bytes a load may have, N = {n}</source>
        <translation>一次读取最多的字节数，N = {n}</translation>
    </message>
    <message>
        <source>A lock keeps load, add and store together, a barrier the threads. {side}, {wrong} of {runs} runs were wrong.</source>
        <translation>锁使读取、相加、写入不被打断，屏障使各线程一起等待。{side}时，{runs} 次运行中有 {wrong} 次出错。</translation>
    </message>
    <message>
        <source>What is computed: layer_norm subtracts each row&apos;s mean and adds a bias, rms_norm does neither, so that it has no db. With add_ it is the norm of x + residual, and that sum is a result, too.</source>
        <translation>计算什么：layer_norm 减去每行的均值并加上偏置，rms_norm 两者都不做，因此没有 db。带 add_ 时是 x + residual 的归一化，这个和本身也是一个结果。</translation>
    </message>
    <message>
        <source>waiting for a place</source>
        <translation>等待位置</translation>
    </message>
    <message>
        <source>hand-over</source>
        <translation>交接</translation>
    </message>
    <message>
        <source>A ends after {a}, B after {b}: {apart}.</source>
        <translation>A 在 {a} 后结束，B 在 {b} 后结束：{apart}。</translation>
    </message>
    <message>
        <source>Instructions</source>
        <translation>指令</translation>
    </message>
    <message>
        <source>Open the file of this kernel first, in Your kernel.</source>
        <translation>请先在“您的内核”中打开这个内核的文件。</translation>
    </message>
    <message>
        <source>No recording of it comes with the program.</source>
        <translation>程序没有附带它的实测记录。</translation>
    </message>
    <message>
        <source>Put it into the parameters, and try what is one step away from there</source>
        <translation>放入参数，并从那里尝试相差一步的设置</translation>
    </message>
    <message>
        <source>Its Triton kernels in Compiled, beside those of the version before the chosen one</source>
        <translation>在“编译结果”中显示它的 Triton 内核，与所选版本的前一个版本并排</translation>
    </message>
    <message>
        <source>Presets of your own</source>
        <translation>自己的预设</translation>
    </message>
    <message>
        <source>Faster?</source>
        <translation>更快？</translation>
    </message>
    <message>
        <source>Try every setting one step away: what would make it faster, and what limits it</source>
        <translation>尝试每个相差一步的设置：什么会更快，以及受什么限制</translation>
    </message>
    <message>
        <source>Sa&amp;ve as preset …</source>
        <translation>存为预设(&amp;V) …</translation>
    </message>
    <message>
        <source>Keep the parameters under a name; those of your own preset get another name</source>
        <translation>以一个名称保留当前参数；若它们已是自己的预设，则为其改名</translation>
    </message>
    <message>
        <source>Dele&amp;te preset</source>
        <translation>删除预设(&amp;T)</translation>
    </message>
    <message>
        <source>Forget your own preset that has these parameters</source>
        <translation>删除参数与当前相同的自己的预设</translation>
    </message>
    <message>
        <source>Remo&amp;ve this machine</source>
        <translation>移除此机器(&amp;V)</translation>
    </message>
    <message>
        <source>Take the machine that is chosen out of this menu, and run here</source>
        <translation>把所选的机器从此菜单中移除，并在本机运行</translation>
    </message>
    <message>
        <source>What do you want to do?</source>
        <translation>您想做什么？</translation>
    </message>
    <message>
        <source>Recordings</source>
        <translation>录制</translation>
    </message>
    <message>
        <source>{count} more</source>
        <translation>另有 {count} 个</translation>
    </message>
    <message>
        <source>Seen so far in float16, without the barrier and with a plain count: NVIDIA H200, 8192×2048, GROUP_SIZE_M 128: 247 of 1000 runs; NVIDIA H200, 4096×8192, GROUP_SIZE_M 96: 1 of 6000 runs; RTX 4090, 8192×2048: about 99 of 100 runs (published: tritonbench pull request 1266)</source>
        <translation>迄今在 float16 下、不用屏障且使用普通计数时见到：NVIDIA H200，8192×2048，GROUP_SIZE_M 128：1000 次运行中 247 次；NVIDIA H200，4096×8192，GROUP_SIZE_M 96：6000 次运行中 1 次；RTX 4090，8192×2048：100 次运行中约 99 次（已发表：tritonbench pull request 1266）</translation>
    </message>
    <message>
        <source>{wait}, {buffers}</source>
        <translation>{wait}，{buffers}</translation>
    </message>
    <message>
        <source>{direction}: version {new} against version {old}: {gain}</source>
        <translation>{direction}：版本 {new} 与版本 {old} 相比：{gain}</translation>
    </message>
    <message>
        <source>Overtaking, with {sizes} buffers: {shares}.</source>
        <translation>缓冲区为 {sizes} 个时，插队的比例：{shares}。</translation>
    </message>
    <message>
        <source>The whole pass is the experiment&apos;s, kernels alone and L2 cold; the stages are the recordings&apos;, up to {apart} apart.</source>
        <translation>整个反向传播的时间来自实验（仅内核，L2 为冷）；两个阶段的时间来自实测记录，相差至多 {apart}。</translation>
    </message>
    <message>
        <source>Both widths lie on one line: queues depend on the programs at once for each buffer. N = {narrow} has {more}: even {most} buffers are not enough, and stage 2 takes {few_sms} for them; with {parts} programs to a column, and {parts} sums to add then, {spread}.</source>
        <translation>两种宽度落在同一条线上：排队取决于平均每个缓冲区同时有多少程序实例。N = {narrow} 时同时有 {more} 个：{most} 个缓冲区仍然不够，而阶段 2 为此要用 {few_sms}；若由 {parts} 个程序实例分担一列，再把 {parts} 个和相加，则只需 {spread}。</translation>
    </message>
    <message>
        <source>Queues: mean of a row. Stage 2: N = {narrow}. Model: usual times of this GPU.</source>
        <translation>排队：每行的平均值。阶段 2：N = {narrow} 时的用时。模型采用这种 GPU 的常见用时。</translation>
    </message>
    <message>
        <source>queue, N = {n}</source>
        <translation>排队，N = {n}</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>stage 2, {sms} SMs</source>
        <translation>阶段 2，{sms} 个 SM</translation>
    </message>
    <message>
        <source>{sms} SMs, computed</source>
        <translation>{sms} 个 SM，算出</translation>
    </message>
    <message>
        <source>Have to move: x in and y out; x and dy in, dx out. Requested: all that the kernels ask L2 and memory for. Ceiling: {gbps} GB/s, with N = {wide} {most} GB/s. persistent takes whole groups today.</source>
        <translation>必须搬运的：读 x、写 y；读 x 和 dy、写 dx。请求的：内核向 L2 和显存要求的一切。上限：{gbps} GB/s，N = {wide} 时 {most} GB/s。现在 persistent 已按 16 字节整组读取。</translation>
    </message>
    <message>
        <source>Rows of {odd} begin at even bytes: persistent {slow}, with N = {n} {fast}.</source>
        <translation>{odd} 列的行从偶数字节开始：persistent 用时 {slow}，N = {n} 时 {fast}。</translation>
    </message>
    <message>
        <source>For LayerNorm GROUP_SIZE_M counts buffers, here block rows of a group.</source>
        <translation>LayerNorm 中 GROUP_SIZE_M 是缓冲区的个数，这里是一组的块行数。</translation>
    </message>
    <message>
        <source>memory it needs</source>
        <translation>所需显存</translation>
    </message>
    <message>
        <source>ends at</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>elements</source>
        <translation>元素</translation>
    </message>
    <message>
        <source>absolute error</source>
        <translation>绝对误差</translation>
    </message>
    <message>
        <source>kernel</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>Transformer, width {n}</source>
        <translation>Transformer，宽度 {n}</translation>
    </message>
    <message>
        <source>the result is wrong, {names} beyond tolerance</source>
        <translation>结果错误，{names} 超出容差</translation>
    </message>
    <message>
        <source>Only the run is saved: the trace is not of it. Run, then record locks, to save both.</source>
        <translation>只保存了运行：所示的记录不属于它。先运行，再记录锁，即可一并保存。</translation>
    </message>
    <message>
        <source>Lecture</source>
        <translation>讲座</translation>
    </message>
    <message>
        <source>No device</source>
        <translation>没有设备</translation>
    </message>
    <message>
        <source>The answer is checked …</source>
        <translation>正在检查答案……</translation>
    </message>
    <message>
        <source>Answers, by the number of the step</source>
        <translation>答案，按步号排列</translation>
    </message>
    <message>
        <source>{key}: program {row} goes on</source>
        <translation>{key}：程序实例 {row} 继续</translation>
    </message>
    <message>
        <source>something has to be run first</source>
        <translation>需要先运行一次</translation>
    </message>
    <message>
        <source>scheduler: this or that program goes on</source>
        <translation>调度：让这个或那个程序实例继续</translation>
    </message>
    <message>
        <source>25, 45 or 90 minutes</source>
        <translation>25、45 或 90 分钟</translation>
    </message>
    <message>
        <source>GB/s are of the bytes that Triton&apos;s tutorial counts; in brackets of all bytes that the kernels move; the percentage is the share of the measured ceiling.</source>
        <translation>GB/s 按 Triton 教程所计的字节数计算；括号内按内核搬运的全部字节数计算；百分数是实测上限的占比。</translation>
    </message>
    <message>
        <source>Elements by the size of their error, of the kernels and of PyTorch</source>
        <translation>按误差大小统计的元素个数：内核与 PyTorch</translation>
    </message>
    <message>
        <source>GB/s of the runs: kernels alone, cold L2; the dashes above are the ceilings</source>
        <translation>各次运行的 GB/s：仅内核，L2 冷；上方短线为上限</translation>
    </message>
    <message>
        <source>The reduction, replayed</source>
        <translation>归约回放</translation>
    </message>
    <message>
        <source>The reduction at one moment: rows of each lock over time</source>
        <translation>某一时刻的归约：每把锁的各行随时间的变化</translation>
    </message>
    <message>
        <source>The first {shown:,} of {total:,}; the sweep exported as CSV has all of them.</source>
        <translation>{total:,} 个中的前 {shown:,} 个；把参数扫描导出为 CSV 可得到全部。</translation>
    </message>
    <message>
        <source>The fastest {shown:,} of {total:,}; the sweep exported as CSV has all of them.</source>
        <translation>{total:,} 个中最快的 {shown:,} 个；把参数扫描导出为 CSV 可得到全部。</translation>
    </message>
    <message>
        <source>It had not come to its end.</source>
        <translation>它还没有结束。</translation>
    </message>
    <message>
        <source>It was cancelled.</source>
        <translation>它被取消了。</translation>
    </message>
    <message>
        <source>It failed.</source>
        <translation>它失败了。</translation>
    </message>
    <message>
        <source>{value} % ({low} to {high})</source>
        <translation>{value} %（{low} 至 {high}）</translation>
    </message>
    <message>
        <source>{done:,} of {total:,} settings tried.</source>
        <translation>已试 {total:,} 组设置中的 {done:,} 组。</translation>
    </message>
    <message>
        <source>{verdict} ({low} to {high} %)</source>
        <translation>{verdict}（{low} 至 {high} %）</translation>
    </message>
    <message>
        <source>problem</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>{direction}, GB/s</source>
        <translation>{direction}，GB/s</translation>
    </message>
    <message>
        <source>PyTorch’s</source>
        <translation>PyTorch 的误差</translation>
    </message>
    <message>
        <source>No speeds: {why}</source>
        <translation>没有速度：{why}</translation>
    </message>
    <message>
        <source>Run {number}: {shape}, {strategy}</source>
        <translation>运行 {number}：{shape}，{strategy}</translation>
    </message>
    <message>
        <source>Sweep {number}: {title}</source>
        <translation>参数扫描 {number}：{title}</translation>
    </message>
    <message>
        <source>without a time</source>
        <translation>没有时间</translation>
    </message>
    <message>
        <source>settings</source>
        <translation>设置数</translation>
    </message>
    <message>
        <source>reason</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>such as</source>
        <translation>例如</translation>
    </message>
    <message>
        <source>✗ {status}</source>
        <translation>✗ {status}</translation>
    </message>
    <message>
        <source>{direction}, error</source>
        <translation>{direction}，误差</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Nothing here is called that.</source>
        <translation>这里没有这样的名称。</translation>
    </message>
    <message>
        <source>Many settings, as an autotuner tries them: curves, a map, the best one</source>
        <translation>多种设置（如 autotuner 逐一尝试）：曲线、热图、最佳设置</translation>
    </message>
    <message>
        <source>What the compiler makes of the kernels: TTIR, PTX, SASS and every other form beside each other, loads and stores in words</source>
        <translation>编译器由内核生成了什么：TTIR、PTX、SASS 等各种形式并排，读写用文字说明</translation>
    </message>
    <message>
        <source>timed beside</source>
        <translation>一同计时</translation>
    </message>
    <message>
        <source>{name}, before → after timing</source>
        <translation>{name}，计时前 → 计时后</translation>
    </message>
    <message>
        <source>✓ within</source>
        <translation>✓ 容差之内</translation>
    </message>
    <message>
        <source>✗ beyond</source>
        <translation>✗ 超出容差</translation>
    </message>
    <message>
        <source>pass</source>
        <translation>传播方向</translation>
    </message>
    <message>
        <source>median</source>
        <translation>中位数</translation>
    </message>
    <message>
        <source>{direction}, largest error</source>
        <translation>{direction}，最大误差</translation>
    </message>
    <message>
        <source>{direction}, {way}, GB/s</source>
        <translation>{direction}，{way}，GB/s</translation>
    </message>
    <message>
        <source>A script has the kernels alone, which add no residual: choose a table or a report.</source>
        <translation>脚本只含内核，内核不加残差：请选择表格或报告。</translation>
    </message>
    <message>
        <source>Parquet needs the package pyarrow, which is not here. Install it with: python -m pip install &apos;.[parquet]&apos; in the clone</source>
        <translation>Parquet 需要 pyarrow 包，这里没有。请在克隆的目录中安装：python -m pip install &apos;.[parquet]&apos;</translation>
    </message>
    <message>
        <source>{name} is compressed in another way</source>
        <translation>{name} 用了另一种压缩方式</translation>
    </message>
    <message>
        <source>its run has version {version}, and this program reads version {known}</source>
        <translation>其中运行的版本是 {version}，而本程序读取版本 {known}</translation>
    </message>
    <message>
        <source>it does not hold the findings of {name} alone</source>
        <translation>其中不只有 {name} 的结果</translation>
    </message>
    <message>
        <source>{what} is {found}, not {wanted}</source>
        <translation>{what} 为 {found}，而不是 {wanted}</translation>
    </message>
    <message>
        <source>its dtype is {dtype}, which no kernel takes</source>
        <translation>它的 dtype 是 {dtype}，没有内核接受</translation>
    </message>
    <message>
        <source>a figure of it is of no pass, or of no way of calling</source>
        <translation>它的一项数据不属于任何方向，或不属于任何调用方式</translation>
    </message>
    <message>
        <source>p20_ms, p50_ms and p80_ms of {provider} are not in their order</source>
        <translation>{provider} 的 p20_ms、p50_ms 和 p80_ms 大小次序不对</translation>
    </message>
    <message>
        <source>the list of its checks</source>
        <translation>它的检查列表</translation>
    </message>
    <message>
        <source>the errors of {name}</source>
        <translation>{name} 的误差</translation>
    </message>
    <message>
        <source>the histogram of {name}</source>
        <translation>{name} 的直方图</translation>
    </message>
    <message>
        <source>an error map</source>
        <translation>一幅误差图</translation>
    </message>
    <message>
        <source>an error map of {name} lies outside its tensor</source>
        <translation>{name} 的一幅误差图超出了其张量</translation>
    </message>
    <message>
        <source>it has a speed, and no right results that were measured</source>
        <translation>它有速度，却没有测得的正确结果</translation>
    </message>
    <message>
        <source>it has errors of what is no result</source>
        <translation>它含有并非结果之物的误差</translation>
    </message>
    <message>
        <source>a timeline of this kind has not the clock {clock}</source>
        <translation>这一类时间线不用时钟 {clock}</translation>
    </message>
    <message>
        <source>the samples of its counters do not belong to their instructions</source>
        <translation>其计数器的采样与其指令对不上</translation>
    </message>
    <message>
        <source>its rows are not in the order of its {total} cells, each once: {cell}</source>
        <translation>其各行没有按 {total} 个单元的次序各出现一次：{cell}</translation>
    </message>
    <message>
        <source>it has a timeline of locks, and its run is of {name}</source>
        <translation>其中有锁的时间线，而其中的运行是 {name} 的</translation>
    </message>
    <message>
        <source>GROUP_SIZE_M with the blocks of its timeline</source>
        <translation>GROUP_SIZE_M 与其时间线的块</translation>
    </message>
    <message>
        <source>the size of its timeline</source>
        <translation>其时间线的大小</translation>
    </message>
    <message>
        <source>its setting is none of its sweep</source>
        <translation>其设置不属于该参数扫描</translation>
    </message>
    <message>
        <source>the partial sums</source>
        <translation>部分和</translation>
    </message>
    <message>
        <source>it is no text in UTF-8</source>
        <translation>它不是 UTF-8 文本</translation>
    </message>
    <message>
        <source>There is no version {version} of {place}.</source>
        <translation>没有 {place} 的版本 {version}。</translation>
    </message>
    <message>
        <source>it is damaged, of another version, or impossible ({why})</source>
        <translation>它已损坏、属于其他版本，或内容不可能成立（{why}）</translation>
    </message>
    <message>
        <source>{path} cannot be written ({why}): settings and history are kept in {folder} for now.</source>
        <translation>无法写入 {path}（{why}）：设置和历史暂时保存在 {folder}。</translation>
    </message>
    <message>
        <source>search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>{name} is not known</source>
        <translation>{name} 不为本程序所知</translation>
    </message>
    <message>
        <source>The settings in {path} are not used: {why}. The defaults are in use, and the file is kept as {kept}.</source>
        <translation>未使用 {path} 中的设置：{why}。正在使用默认值，该文件被保留为 {kept}。</translation>
    </message>
    <message>
        <source>it is damaged, or no settings file</source>
        <translation>它已损坏，或者不是设置文件</translation>
    </message>
    <message>
        <source>it is {format} of version {version}, not {wanted} of version {known}</source>
        <translation>它是版本 {version} 的 {format}，而不是版本 {known} 的 {wanted}</translation>
    </message>
    <message>
        <source>{field} = {value} is not possible</source>
        <translation>{field} = {value} 不可能</translation>
    </message>
    <message>
        <source>The settings in {path} are not used: {why}. The file cannot be renamed ({cause}).</source>
        <translation>未使用 {path} 中的设置：{why}。该文件无法重命名（{cause}）。</translation>
    </message>
    <message>
        <source>{path} has no row of a sweep: begin one with --csv.</source>
        <translation>{path} 没有参数扫描的行：请用 --csv 开始一次。</translation>
    </message>
    <message>
        <source>{path} is no file of a sweep, or it is damaged.</source>
        <translation>{path} 不是参数扫描文件，或者已损坏。</translation>
    </message>
    <message>
        <source>it gives no {names}</source>
        <translation>它不给出 {names}</translation>
    </message>
    <message>
        <source>choose y: the kernel gives no dx</source>
        <translation>请选择 y：该内核不给出 dx</translation>
    </message>
    <message>
        <source>hardware counters</source>
        <translation>硬件计数器</translation>
    </message>
    <message>
        <source>choose one of {known}</source>
        <translation>请选 {known} 之一</translation>
    </message>
    <message>
        <source>it launches no kernel of Triton</source>
        <translation>它没有启动任何 Triton 内核</translation>
    </message>
    <message>
        <source>There are no hardware counters: the interpreter has no hardware to count.</source>
        <translation>没有硬件计数器：解释器没有可计数的硬件。</translation>
    </message>
    <message>
        <source>There are no hardware counters: {reason}.</source>
        <translation>没有硬件计数器：{reason}。</translation>
    </message>
    <message>
        <source>its results are not within tolerance</source>
        <translation>其结果不在容差之内</translation>
    </message>
    <message>
        <source>The barrier is left out: on the interpreter, which runs one program after the other, that changes nothing.</source>
        <translation>屏障已去掉：解释器逐个运行程序，所以这不会改变任何结果。</translation>
    </message>
    <message>
        <source>{provider}: {remark}</source>
        <translation>{provider}：{remark}</translation>
    </message>
    <message>
        <source>{name} cannot be imported: {error}.</source>
        <translation>无法导入 {name}：{error}。</translation>
    </message>
    <message>
        <source>runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>seeds</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>times</source>
        <translation>计时</translation>
    </message>
    <message>
        <source>waits</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>traces</source>
        <translation>追踪</translation>
    </message>
    <message>
        <source>{reason}.</source>
        <translation>{reason}。</translation>
    </message>
    <message>
        <source>GPU memory ran out: tried to allocate {size}, and {free} of {total} are free.</source>
        <translation>显存耗尽：需要分配 {size}，而 {total} 中只剩 {free}。</translation>
    </message>
    <message>
        <source>The machine&apos;s memory ran out: {error}.</source>
        <translation>本机内存耗尽：{error}。</translation>
    </message>
    <message>
        <source>choose a GPU to time on: the interpreter&apos;s times mean nothing</source>
        <translation>请选用来计时的 GPU：解释器的时间没有意义</translation>
    </message>
    <message>
        <source>inputs</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>kernels</source>
        <translation>内核</translation>
    </message>
    <message>
        <source>errors</source>
        <translation>误差</translation>
    </message>
    <message>
        <source>compiler</source>
        <translation>编译器</translation>
    </message>
    <message>
        <source>throughput</source>
        <translation>吞吐量</translation>
    </message>
    <message>
        <source>run first; of runs beyond {size} GiB nothing is kept</source>
        <translation>请先运行；超过 {size} GiB 的运行不保留任何内容</translation>
    </message>
    <message>
        <source>choose y or dx</source>
        <translation>请选 y 或 dx</translation>
    </message>
    <message>
        <source>{provider}: all results are within tolerance</source>
        <translation>{provider}：所有结果都在容差之内</translation>
    </message>
    <message>
        <source>What the compiler makes of the kernels is not known: {error}</source>
        <translation>不知道编译器由内核生成了什么：{error}</translation>
    </message>
    <message>
        <source>take a part of 0 to {limit}</source>
        <translation>请取 0 到 {limit} 之间的一段</translation>
    </message>
    <message>
        <source>repeats</source>
        <translation>重复次数</translation>
    </message>
    <message>
        <source>take fewer rows: there is no room for their addresses ({error})</source>
        <translation>请减少行数：没有空间存放它们的地址（{error}）</translation>
    </message>
    <message>
        <source>{provider}: {reason}</source>
        <translation>{provider}：{reason}</translation>
    </message>
    <message>
        <source>there is no provider {name}: take one of {choice}</source>
        <translation>没有名为 {name} 的实现：可取 {choice} 之一</translation>
    </message>
    <message>
        <source>{provider}, {direction}: timed by events around the call, with what its launches cost the host: no CUDA graph can hold it.</source>
        <translation>{provider}，{direction}：由调用前后的事件计时，包含启动在主机上的开销：没有 CUDA 图能容纳它。</translation>
    </message>
    <message>
        <source>the process that judges it ended with status {status}</source>
        <translation>评判它的进程以状态 {status} 结束</translation>
    </message>
    <message>
        <source>it could not be judged: {why}</source>
        <translation>无法评判它：{why}</translation>
    </message>
    <message>
        <source>cost</source>
        <translation>追踪的开销</translation>
    </message>
    <message>
        <source>choose layer_norm: the interpreter traces numbers of dw and db, and RMSNorm has no db</source>
        <translation>请选择 layer_norm：解释器追踪 dw 和 db 的数值，而 RMSNorm 没有 db</translation>
    </message>
    <message>
        <source>on the interpreter a trace has at most {rows} rows and {elements} elements: programs run one after another there, so nothing but the numbers is worth recording; choose a GPU for the timing of locks</source>
        <translation>在解释器上，追踪最多有 {rows} 行、{elements} 个元素：程序实例在那里逐个运行，只有数值值得录制；要锁的时间，请选择 GPU</translation>
    </message>
    <message>
        <source>; </source>
        <translation>；</translation>
    </message>
    <message>
        <source>Its results are not within tolerance, so it gets no time.</source>
        <translation>其结果超出容差，因此不计时。</translation>
    </message>
    <message>
        <source>torch.compile is timed on a CUDA device only</source>
        <translation>torch.compile 只在 CUDA 设备上计时</translation>
    </message>
    <message>
        <source>choose locked: it is the strategy that has locks</source>
        <translation>请选择 locked：只有它有锁</translation>
    </message>
</context>
</TS>
