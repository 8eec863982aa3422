"""Every word that a user sees, in English and in Chinese.

Stage: ground, beside `wire`. Nothing else in the package writes a sentence for a person: reprs, notices, captions and the
sidebar look their words up here, so that one list can be read, corrected and compared.

A key is `group.name`. Values are `str.format` templates with named fields only. Where English needs a singular, the key
has a twin that ends in `.one`. Each group is one dict below; the `view` group alone goes to the browser
(`python -m aisdk_lab.strings` prints it, `widget_js/src/strings.json` keeps it, a test compares the two), so a new word for
a Python repr never changes the bundle.

How we write: short; second person where a person must act, past tense for what happened, present for what happens; no
exclamation marks, no blame. Chinese is written, not translated.
"""

from __future__ import annotations

import sys
from typing import Final

from aisdk_lab.errors import UnknownName

languages: Final[tuple[str, ...]] = ("en", "zh")

# The sidebar (widget_js). Adding a word here means: print the JSON again, rebuild the bundle.
VIEW: Final[dict[str, tuple[str, str]]] = {
    # header
    "view.label": ("Agent sidebar: {title}", "智能体侧边栏：{title}"),
    "view.untitled": ("Agent", "智能体"),
    "view.status.ready": ("Ready", "就绪"),
    "view.status.submitted": ("Thinking", "正在思考"),
    "view.status.streaming": ("Answering", "正在回答"),
    "view.status.error": ("Stopped by an error", "因出错停止"),
    "view.status.waiting": ("Waiting for you", "等你处理"),
    "view.status.loading": ("Connecting to the kernel", "正在连接内核"),
    "view.status.replay": ("Recording", "录制回放"),
    "view.status.gone": ("No kernel", "没有内核"),
    # transcript
    "view.messages": ("Messages", "消息"),
    "view.you": ("You", "你"),
    "view.system": ("Instructions", "指令"),
    "view.jump": ("Jump to latest", "回到最新"),
    "view.empty": ("Ask {title} something.", "向「{title}」提问，从这里开始。"),
    "view.empty.replay": ("Press play to see the recording.", "按播放键观看录制的对话。"),
    "view.suggestions": ("Suggestions", "试着问"),
    "view.thinking": ("Thinking", "正在思考"),
    "view.show_all": ("Show all {n} lines", "显示全部 {n} 行"),
    "view.show_more": ("Show {n} more of {left} lines", "再显示 {n} 行（余 {left} 行）"),
    "view.show_characters": ("Show all {n} characters", "显示全部 {n} 个字符"),
    "view.show_less": ("Show less", "收起"),
    "view.copy": ("Copy", "复制"),
    "view.copied": ("Copied", "已复制"),
    "view.copy_failed": ("Copying is not allowed here", "此处不能复制"),
    "view.new_tab": ("opens in a new tab", "在新标签页打开"),
    "view.blocked_image": ("Image not loaded: {name}", "未加载图片：{name}"),
    "view.table": ("Table", "表格"),
    "view.part": ("part", "内容"),
    "view.value": ("value", "数值"),
    "view.unknown_part": ("Part of a kind this view does not know: {type}", "此视图不认识的部分：{type}"),
    "view.broken_part": ("This part could not be shown", "这一部分无法显示"),
    # prompt
    "view.prompt": ("Message", "输入内容"),
    "view.prompt.hint": ("Ask {title}", "向「{title}」提问"),
    "view.send": ("Send", "发送"),
    "view.stop": ("Stop", "停止"),
    "view.blocked.waiting": ("Answer the open question above first.", "请先处理上面等你决定的事项。"),
    "view.blocked.gone": ("Run the cell again to continue.", "重新运行单元格后可继续。"),
    "view.blocked.replay": ("This is a recording.", "这是一段录制。"),
    "view.go_to_waiting": ("Show it", "去处理"),
    # reasoning
    "view.reasoning.running": ("Thinking", "正在思考"),
    "view.reasoning.done": ("Thought for {time}", "思考了 {time}"),
    "view.reasoning.done_unknown": ("Thought for a few seconds", "思考了片刻"),
    "view.reasoning.stopped": ("Thought (stopped)", "思考（已停止）"),
    # tools
    "view.tool.preparing": ("Preparing {name}", "准备 {name}"),
    "view.tool.running": ("Running {name}", "正在运行 {name}"),
    "view.tool.done": ("Ran {name}", "已运行 {name}"),
    "view.tool.failed": ("Failed: {name}", "失败：{name}"),
    "view.tool.denied": ("Denied by you: {name}", "已拒绝：{name}"),
    "view.tool.denied_by_rule": ("Denied by a rule: {name}", "按规则拒绝：{name}"),
    "view.tool.interrupted": ("Interrupted: {name}", "已中断：{name}"),
    "view.tool.waiting": ("Waiting for you: {name}", "等你处理：{name}"),
    "view.tool.approval": ("Waiting for you: {name}", "等你确认：{name}"),
    "view.tool.checking": ("Checking {name}", "自动审核 {name}"),
    "view.tool.queued": ("Queued: {name}", "排队中：{name}"),
    "view.tool.approved_not_sent": ("Approved, not sent: {name}", "已允许，未送出：{name}"),
    "view.tool.unknown": ("Outcome unknown: {name}", "结果不明：{name}"),
    "view.tool.input": ("input", "输入"),
    "view.tool.output": ("output", "输出"),
    "view.tool.error": ("error", "错误"),
    "view.tool.reason": ("reason", "理由"),
    "view.tool.so_far": ("so far", "目前"),
    "view.tool.no_output": ("no output", "无输出"),
    "view.tool.stopped_after": ("stopped after {time}", "{time} 后停止"),
    "view.tool.unknown_detail": (
        "The call was never answered: it was interrupted, or it waits for a client that is not here.",
        "这次调用没有结果：可能已中断，也可能在等不在场的客户端。",
    ),
    "view.results": ("{n} results", "{n} 条结果"),
    "view.results.one": ("{n} result", "{n} 条结果"),
    # approval
    "view.allow": ("Allow", "允许"),
    "view.deny": ("Deny", "拒绝"),
    "view.deny_open": ("Deny…", "拒绝…"),
    "view.cancel": ("Cancel", "返回"),
    "view.deny_reason": ("Reason (optional)", "理由（可不填）"),
    "view.sending": ("Sending your answer", "正在送出你的决定"),
    "view.queued_cell": ("Waits for the running cell", "等当前单元格运行完"),
    # client tools
    "view.answer": ("Answer", "回答"),
    "view.answer_field": ("Answer, as text or JSON", "回答，可写文本或 JSON"),
    "view.problem": ("Report a problem", "报告问题"),
    "view.problem_field": ("What went wrong", "出了什么问题"),
    "view.problem_send": ("Send report", "送出报告"),
    "view.json_problem": (
        "Not valid JSON ({problem}): will be sent as text",
        "不是合法的 JSON（{problem}），将按文本送出",
    ),
    "view.as_text": ("Will be sent as text", "将按文本送出"),
    "view.as_json": ("Will be sent as JSON", "将按 JSON 送出"),
    "view.adopt": ("Adopt", "采纳"),
    "view.reject": ("Reject", "不采纳"),
    "view.reject_open": ("Reject…", "不采纳…"),
    "view.adopted": ("adopted by you", "你已采纳"),
    "view.rejected": ("rejected by you", "你没有采纳"),
    "view.diff": ("Proposed change", "修改建议"),
    "view.diff.added": ("added", "新增"),
    "view.diff.removed": ("removed", "删除"),
    "view.diff.same": ("No difference", "没有差别"),
    "view.diff.skipped": ("{n} unchanged lines", "{n} 行未变"),
    "view.diff.skipped.one": ("{n} unchanged line", "{n} 行未变"),
    # plan
    "view.plan": ("Plan", "计划"),
    "view.plan.count": ("{done} of {n}", "{done} / {n}"),
    "view.plan.pending": ("to do", "待办"),
    "view.plan.running": ("in progress", "进行中"),
    "view.plan.done": ("done", "完成"),
    "view.plan.failed": ("failed", "失败"),
    "view.plan.interrupted": ("interrupted", "已中断"),
    # sources, files, data
    "view.sources": ("Used {n} sources", "引用了 {n} 个来源"),
    "view.sources.one": ("Used {n} source", "引用了 {n} 个来源"),
    "view.document": ("document", "文档"),
    "view.file": ("File", "文件"),
    "view.file.open": ("Open", "打开"),
    "view.file.download": ("Save", "保存"),
    "view.file.refused": ("The address of this file is one that cannot be opened here.", "这个文件的地址无法打开。"),
    "view.data": ("Data: {name}", "数据：{name}"),
    # errors and notices
    "view.error.title": ("Failed", "出错了"),
    "view.error.text": ("The exchange ended with an error.", "这次对话因出错而结束。"),
    "view.ended.truncated": ("Cut off: the stream stopped without a finish", "中断：没有收到结束帧，数据流就停了"),
    "view.ended.aborted": ("Stopped", "已停止"),
    "view.retry": ("Retry", "重试"),
    "view.dismiss": ("Dismiss", "关闭提示"),
    "view.notice.busy_cell": (
        "A cell is running. What you did waits for it.",
        "有单元格正在运行，你的操作会在它结束后处理。",
    ),
    "view.notice.gone": (
        "No kernel answers. This is the last saved state; run the cell to continue.",
        "没有内核应答。这里是上次保存的内容，运行单元格即可继续。",
    ),
    "view.notice.slow": (
        "The kernel does not answer yet. This is the last saved state.",
        "内核暂时没有应答。这里是上次保存的内容。",
    ),
    "view.notice.action_lost": ("Your last action did not reach the kernel.", "上一次操作没有送达内核。"),
    # replay
    "view.replay": ("Recording", "录制回放"),
    "view.replay.play": ("Play", "播放"),
    "view.replay.pause": ("Pause", "暂停"),
    "view.replay.restart": ("From the start", "从头播放"),
    "view.replay.speed": ("Speed", "速度"),
    "view.replay.instant": ("At once", "立即"),
    "view.replay.position": ("Position", "进度"),
    # time
    "view.ms": ("{n} ms", "{n} 毫秒"),
    "view.seconds": ("{n} s", "{n} 秒"),
    "view.minutes": ("{m} min {s} s", "{m} 分 {s} 秒"),
}

# Other layers add their group here, one dict each, keys `group.name`, and name it in `WORDS`.
NOTICES: Final[dict[str, tuple[str, str]]] = {}

# Captures and what is seen in them: reprs, the recorder's line, tables, measurements, the timing picture.
SEEING: Final[dict[str, tuple[str, str]]] = {
    "capture.end_state.complete": ("complete", "完成"),
    "capture.end_state.waiting": ("waiting for you", "等你处理"),
    "capture.end_state.error": ("ended with an error", "因出错结束"),
    "capture.end_state.aborted": ("stopped", "已停止"),
    "capture.end_state.truncated": ("cut off: no finish came", "中断：没有收到结束帧"),
    "capture.sizes": ("frames {frames}, segments {segments}, {size} bytes", "帧 {frames}，段 {segments}，{size} 字节"),
    "capture.seconds": ("{seconds} s", "{seconds} 秒"),
    "capture.exchange": (
        "exchange {number} of {total}; lab.load_all(path) gives all",
        "第 {number} 次交互，共 {total} 次；lab.load_all(path) 可取全部",
    ),
    "capture.problems": ("problems {n}", "问题 {n} 处"),
    "capture.no_chunks": (
        "no frame is a chunk of this protocol (problems {n})",
        "没有一帧是这个协议的 chunk（问题 {n} 处）",
    ),
    "capture.unreadable": ("first problem", "第一处问题"),
    "capture.has_problem": ("problem: {problem}", "问题：{problem}"),
    "capture.request": ("request", "请求"),
    "capture.response": ("response", "响应"),
    "capture.body": ("body", "正文"),
    "chat.outcome": ("how it ended", "结果"),
    "chat.messages": ("messages {n}", "消息 {n} 条"),
    "agent.suggestions": ("suggestions", "建议"),
    "agent.client_tools": ("client tools", "客户端工具"),
    "agent.about": ("about", "说明"),
    "capture.waiting": ("waits", "在等"),
    "capture.reply": ("reply", "回复"),
    "capture.ended": ("end", "结束"),
    "capture.problem": ("problem", "问题"),
    "samples.title": ("Samples", "示例"),
    "samples.about": ("lab.samples[name] gives the capture", "lab.samples[名称] 可取用"),
    "record.waiting": ("Recording: no answer yet, {seconds} s", "正在录制：还没有应答，{seconds} 秒"),
    "record.progress": (
        "Recording: segments {segments}, {size} bytes, {seconds} s",
        "正在录制：段 {segments}，{size} 字节，{seconds} 秒",
    ),
    "record.done": (
        "Recorded {name}: segments {segments}, {size} bytes, {seconds} s",
        "已录制 {name}：段 {segments}，{size} 字节，{seconds} 秒",
    ),
    "measure.about": (
        "Milliseconds since the request; n/a: not known, or nothing to measure",
        "自请求起的毫秒数；n/a：未知或无可测量",
    ),
    "measure.unknown": ("n/a", "n/a"),
    "measure.ms": ("{ms} ms", "{ms} 毫秒"),
    "measure.span": ("{label}: {start} → {end} ms", "{label}：{start} → {end} 毫秒"),
    "measure.open": ("not ended", "未结束"),
    "measure.first_byte_ms": ("first byte", "首字节"),
    "measure.first_frame_ms": ("first frame", "首帧"),
    "measure.first_text_ms": ("first text", "首个文字"),
    "measure.finish_ms": ("finish", "finish"),
    "measure.done_ms": ("[DONE]", "[DONE]"),
    "measure.longest_gap_ms": ("longest gap", "最长停顿"),
    "measure.step_times": ("steps", "步骤"),
    "measure.tool_times": ("tools", "工具"),
    "measure.tool_wait_ms": ("waited for tools", "等待工具"),
    "measure.human_wait_ms": ("waited for a person", "等待人"),
    "table.segments": (
        "One row a segment: the bytes one read returned. Times in ms since the request.",
        "每行一段：一次读取得到的字节。时间为自请求起的毫秒数。",
    ),
    "table.frames": (
        "One row a frame: one SSE block or line of JSON. Times in ms since the request.",
        "每行一帧：一个 SSE 块或一行 JSON。时间为自请求起的毫秒数。",
    ),
    "table.chunks": (
        "One row a chunk of the UI Message Stream. Times in ms since the request.",
        "每行一个 UI Message Stream 的 chunk。时间为自请求起的毫秒数。",
    ),
    "plot.more": ("{number} more", "另有 {number} 项"),
    "plot.text": ("text", "文字"),
    "plot.reasoning": ("reasoning", "思考"),
    "plot.data": ("data", "数据"),
    "plot.error": ("error", "错误"),
    "plot.step": ("step {number}", "第 {number} 步"),
    "plot.segments": ("segments", "段"),
    "plot.seconds": ("seconds since the request", "自请求起的秒数"),
    "plot.no_clock": ("No clock was kept: there are no times to draw.", "没有记录时间，无法绘制。"),
    "plot.waited": ("waited for you", "等你处理"),
    "plot.unknown_length": ("length not known", "时长未知"),
    "plot.waiting": ("waiting for you", "等你处理"),
    "plot.unfinished": ("did not end", "没有结束"),
    "plot.said.tool-input": ("input {time}", "输入 {time}"),
    "plot.said.tool-run": ("ran {time}", "运行 {time}"),
    "plot.said.human-wait": ("waited for you {time}", "等你 {time}"),
    "plot.times": ("{number} times", "{number} 次"),
    "plot.ms": ("{number} ms", "{number} 毫秒"),
    "plot.s": ("{number} s", "{number} 秒"),
}

# The sidebar without a kernel, and what its Python side says.
STATIC: Final[dict[str, tuple[str, str]]] = {
    "static.saved": ("saved state; run the cell to go on", "保存的内容，运行单元格后可继续"),
    "static.omitted": ("{n} earlier messages left out", "省略了前面 {n} 条消息"),
    "static.omitted_parts": ("Parts left out: {n}", "省略了 {n} 个部分"),
    "sidebar.repr": ("Sidebar: {title}, {n} messages, {status}", "侧边栏：{title}，{n} 条消息，{status}"),
    "sidebar.closed": ("closed", "已关闭"),
}

# What a served agent says about itself.
SERVER: Final[dict[str, tuple[str, str]]] = {
    "adapter.repr": ("Adapter {name}: {agent} at {url}, running", "适配器 {name}：{agent}，{url}，运行中"),
    "adapter.repr_stopped": ("Adapter {name}: {agent}, stopped", "适配器 {name}：{agent}，已停止"),
    "adapter.running": ("served as {name}", "正在以“{name}”之名提供服务"),
    "adapter.stopped": ("stopped", "已停止"),
    "adapter.again": ("lab.serve(agent) starts it again", "用 lab.serve(agent) 重新启动"),
    "adapter.address": ("address", "地址"),
    "adapter.talk": ("talk to it", "对话"),
    "adapter.call": ("call it from a terminal", "从终端调用"),
    "adapter.token": ("token", "令牌"),
    "adapter.stop": ("stop it", "停止"),
    "adapter.elsewhere": ("from another machine", "从另一台机器"),
    "adapter.problems": ("last problems", "最近的问题"),
    "adapter.outside": ("{url}, with your Jupyter login", "{url}，用你的 Jupyter 登录"),
    "adapter.tunnel": (
        "lab.Sidebar(adapter) goes through Jupyter. Other programs: ssh -L {port}:127.0.0.1:{port} <this host>",
        "lab.Sidebar(adapter) 会经由 Jupyter。其他程序：ssh -L {port}:127.0.0.1:{port} <本机>",
    ),
}

# `lab.check()`: the name of each row, what may be found, what to do.
CHECK: Final[dict[str, tuple[str, str]]] = {
    "check.works": ("Everything that is needed works.", "所需的一切都可用。"),
    "check.broken": ("Something that is needed does not work.", "有必需的东西不可用。"),
    "check.status.ok": ("ok", "正常"),
    "check.status.warning": ("note", "注意"),
    "check.status.problem": ("problem", "问题"),
    "check.python": ("Python", "Python"),
    "check.packages": ("packages", "软件包"),
    "check.packages.missing": ("not installed: {names}", "没有安装：{names}"),
    "check.packages.do": ("pip install --upgrade aisdk-lab", "pip install --upgrade aisdk-lab"),
    "check.kernel": ("kernel", "内核"),
    "check.kernel.none": ("a plain Python, not a notebook kernel", "普通 Python，不是笔记本内核"),
    "check.kernel.none.do": (
        "Everything but the sidebar works here; open a notebook to see it.",
        "除侧边栏外都可用；打开笔记本才能看到侧边栏。",
    ),
    "check.kernel.other": ("{kind}: the sidebar goes by widget messages", "{kind}：侧边栏使用组件消息"),
    "check.kernel.old": (
        "ipykernel {version}: clicks wait for the running cell",
        "ipykernel {version}：点击要等当前单元格运行完",
    ),
    "check.kernel.old.do": ("pip install --upgrade ipykernel", "pip install --upgrade ipykernel"),
    "check.widget": ("sidebar", "侧边栏"),
    "check.widget.bundle": ("the built view is missing from the package", "软件包里缺少构建好的视图"),
    "check.widget.bundle.do": ("make bundle, or install the package again", "运行 make bundle，或重新安装"),
    "check.widget.own": ("this front end brings its own widget manager", "此前端自带组件管理器"),
    "check.widget.ok": ("the widget manager of JupyterLab is installed", "已安装 JupyterLab 的组件管理器"),
    "check.widget.missing": (
        "not found beside this kernel: {names}",
        "在此内核旁没有找到：{names}",
    ),
    "check.widget.missing.do": (
        "If the sidebar stays empty: pip install {names} where JupyterLab is installed, then reload the page.",
        "如果侧边栏空白：在安装 JupyterLab 的环境里 pip install {names}，然后刷新页面。",
    ),
    "check.thread": ("lab thread", "实验室线程"),
    "check.thread.ok": ("answers in {n} ms", "{n} 毫秒内应答"),
    "check.thread.broken": ("does not answer: {problem}", "没有应答：{problem}"),
    "check.restart.do": ("Restart the kernel.", "请重启内核。"),
    "check.port": ("loopback port", "本机端口"),
    "check.port.ok": ("opened and asked in {n} ms", "{n} 毫秒内打开并应答"),
    "check.port.broken": ("cannot be used: {problem}", "不可用：{problem}"),
    "check.port.do": (
        "Adapters cannot serve here; sidebars of agents in this kernel work without a port.",
        "此处无法提供 HTTP 服务；同一内核内智能体的侧边栏不需要端口，仍可使用。",
    ),
    "check.proxy": ("proxy", "代理"),
    "check.proxy.none": ("no proxy variables", "没有代理变量"),
    "check.proxy.spared": ("{names} set, this machine is spared", "已设置 {names}，本机不经代理"),
    "check.proxy.trap": (
        "{names} set: curl and other clients would send 127.0.0.1 to the proxy",
        "已设置 {names}：curl 等客户端会把 127.0.0.1 也发给代理",
    ),
    "check.proxy.do": (
        "export NO_PROXY=127.0.0.1,localhost (the lab itself goes past it)",
        "export NO_PROXY=127.0.0.1,localhost（实验室自己的请求不受影响）",
    ),
    "check.relay": ("Jupyter server", "Jupyter 服务器"),
    "check.relay.none": ("none around this Python", "此 Python 外没有 Jupyter 服务器"),
    "check.relay.ok": ("its extension relays to this kernel", "扩展已启用，可转达到此内核"),
    "check.relay.locked": (
        "it is there, but does not let this kernel ask for its extension",
        "服务器在运行，但不允许此内核查询扩展",
    ),
    "check.relay.unknown": ("not found on this machine", "本机上没有找到"),
    "check.relay.unknown.do": (
        "Nothing need be done: the sidebar goes by widget messages.",
        "无需处理：侧边栏使用组件消息。",
    ),
    "check.relay.silent": ("does not answer: {problem}", "没有应答：{problem}"),
    "check.relay.off": (
        "our extension is not enabled there (HTTP {status})",
        "那里没有启用我们的扩展（HTTP {status}）",
    ),
    "check.relay.off.do": (
        "For streaming while a cell runs: pip install aisdk-lab where JupyterLab is installed, restart JupyterLab.",
        "若要在单元格运行时也能流式显示：在安装 JupyterLab 的环境里 pip install aisdk-lab，并重启 JupyterLab。",
    ),
    "check.relay.other": (
        "its extension is version {theirs}, this kernel has {ours}",
        "扩展版本 {theirs}，内核版本 {ours}",
    ),
    "check.relay.other.do": ("Restart JupyterLab after an update.", "更新后请重启 JupyterLab。"),
    "check.browser": ("browser", "浏览器"),
    "check.browser.same": ("likely on this machine", "很可能就在本机"),
    "check.browser.hub": (
        "on another machine, through JupyterHub ({prefix})",
        "在另一台机器上，经由 JupyterHub（{prefix}）",
    ),
    "check.browser.remote": ("likely on another machine", "很可能在另一台机器上"),
    "check.browser.do": (
        "The sidebar goes through Jupyter by itself. For other clients see adapter.outside_url, or use ssh -L.",
        "侧边栏会自动经由 Jupyter。其他客户端请看 adapter.outside_url，或使用 ssh -L。",
    ),
    "check.browser.tunnel.do": (
        "The sidebar goes through Jupyter by itself. Other clients need a way of their own, such as ssh -L.",
        "侧边栏会自动经由 Jupyter。其他客户端需要自己的通道，例如 ssh -L。",
    ),
    "check.extras": ("extras", "可选部分"),
    "check.extras.missing": ("matplotlib is not installed: no timing picture", "没有安装 matplotlib：画不出时间图"),
    "check.extras.do": ("pip install 'aisdk-lab[plots]'", "pip install 'aisdk-lab[plots]'"),
}

WORDS: Final[dict[str, tuple[str, str]]] = {**VIEW, **NOTICES, **SEEING, **STATIC, **SERVER, **CHECK}


def word(key: str, language: str = "en", **values: object) -> str:
    """The text for `key` in `language` (`en` or `zh`), with `{name}` fields filled from `values`.

    Raises:
        UnknownName: no such key, or no such language.

    >>> word("view.allow"), word("view.allow", "zh")
    ('Allow', '允许')
    """
    if language not in languages:
        raise UnknownName("language", language, languages)
    pair = WORDS.get(key)
    if pair is None:
        raise UnknownName("word", key, WORDS)
    return pair[languages.index(language)].format(**values)


def view_json() -> str:
    """The words of the view as the JSON text that `widget_js/src/strings.json` holds: `{key: [en, zh]}`, one a line."""
    import json  # only the command line and one test need it

    lines = [f"  {json.dumps(key)}: {json.dumps(list(pair), ensure_ascii=False)}" for key, pair in VIEW.items()]
    return "{\n" + ",\n".join(lines) + "\n}\n"


if __name__ == "__main__":
    sys.stdout.reconfigure(encoding="utf-8")  # type: ignore[union-attr]  # a pipe under LANG=C would refuse Chinese
    sys.stdout.write(view_json())
