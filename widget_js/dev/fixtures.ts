/**
 * Documents that show every state of the sidebar once: for the pictures, and for the tests.
 *
 * Hand-made after the reduced messages of `ai` 7.0.173; the conversations are the lab's own examples (weather, publish).
 */

import type { Document, Json, Message, Part, ToolEntry, ToolPart } from "../src/document";
import { completeDocument } from "../src/document";

export interface Fixture {
  document: Document;
  /** Names of buttons to press, in order, before the picture is taken. */
  press?: string[];
  /** The kernel never answers; the document is the stored snapshot. */
  isGone?: boolean;
}

let serial = 0;

function tool(name: string, state: ToolPart["state"], more: Partial<ToolPart> = {}): ToolPart {
  return { type: `tool-${name}`, toolCallId: `call-${name}-${serial++}`, state, ...more };
}

const text = (words: string, state: "streaming" | "done" = "done"): Part => ({ type: "text", text: words, state });
const user = (words: string): Message => ({ id: `u${serial++}`, role: "user", parts: [{ type: "text", text: words }] });
const assistant = (...parts: Part[]): Message => ({ id: `a${serial++}`, role: "assistant", parts });

function withTools(entries: [ToolPart, ToolEntry][]): Pick<Document, "tools"> {
  return { tools: Object.fromEntries(entries.map(([part, entry]) => [part.toolCallId, entry])) };
}

function fixture(document: Partial<Document>, more: Omit<Fixture, "document"> = {}): Fixture {
  return { document: completeDocument({ title: "Weather", ...document }), ...more };
}

const SUGGESTIONS = ["杭州天气怎么样？", "Compare Hangzhou and Oslo", "Will it rain tomorrow?"];

function weather(): Fixture {
  const call = tool("get_weather", "output-available", { input: { city: "Hangzhou" }, output: { celsius: 25, sky: "cloudy" } });
  const search = tool("search_docs", "output-available", {
    input: { query: "SSE buffering" },
    output: [{ title: "A" }, { title: "B" }, { title: "C" }],
  });
  const answer = assistant(
    { type: "step-start" },
    { type: "reasoning", text: "The user asks about the weather in Hangzhou.\n\nI look it up first.", state: "done" },
    call,
    search,
    { type: "step-start" },
    text(
      "It is **25 °C** and cloudy in Hangzhou 🌤️. Take a light jacket for the evening.\n\n| hour | °C | sky |\n|---|---:|---|\n| 09:00 | 21.5 | mist |\n| 12:00 | 25.0 | cloudy |\n| 18:00 | 22.0 | rain |\n\nMore in the [forecast](https://example.org/forecast).",
    ),
    { type: "source-url", sourceId: "s1", url: "https://example.org/forecast", title: "Forecast for Hangzhou" },
    { type: "source-document", sourceId: "s2", mediaType: "application/pdf", title: "Climate of Zhejiang" },
  );
  return fixture({
    messages: [user("杭州天气怎么样？"), answer],
    timings: { [`${answer.id}/1`]: { durationMs: 7_200 } },
    ...withTools([
      [call, { status: "done", kind: "server", durationMs: 1_204 }],
      [search, { status: "done", kind: "server", durationMs: 412 }],
    ]),
  });
}

function streaming(): Fixture {
  const first = tool("get_weather", "input-available", { input: { city: "Llanfairpwllgwyngyllgogerychwyrndrobwll, Wales" } });
  const second = tool("get_weather", "input-streaming", { input: { city: "Os" } });
  return fixture({
    status: "streaming",
    messages: [
      user("Compare the weather in the village with the longest name in Wales with that in Oslo, and be quick about it."),
      assistant(
        { type: "step-start" },
        text("I look both up 🌤️"),
        { type: "step-start" },
        { type: "reasoning", text: "Two cities, two calls. They do not depend on each other, so **both at on", state: "streaming" },
        first,
        second,
      ),
    ],
    ...withTools([
      [first, { status: "running", kind: "server" }],
      [second, { status: "preparing", kind: "server" }],
    ]),
  });
}

function allStates(): Fixture {
  const input = { path: "notes/week 48.md" };
  const parts: [ToolPart, ToolEntry][] = [
    [tool("read_file", "input-streaming", { input: { path: "notes/we" } }), { status: "preparing" }],
    [tool("read_file", "input-available", { input }), { status: "running" }],
    [tool("read_file", "output-available", { input, output: "# Week 48\n\nNothing happened." }), { status: "done", durationMs: 38 }],
    [tool("count_words", "output-available", { input: { text: "" }, output: 0 }), { status: "done", durationMs: 4 }],
    [tool("read_file", "output-error", { input, errorText: "ENOENT: no such file or directory, open 'notes/week 48.md'" }), { status: "failed", durationMs: 12 }],
    [tool("publish_to_feishu", "output-denied", { input, approval: { id: "p1", approved: false, reason: "not yet" } }), { status: "denied" }],
    [tool("summarise", "output-available", { input, output: "The week was", preliminary: true }), { status: "interrupted", durationMs: 3_100 }],
    [tool("delete_file", "approval-requested", { input, approval: { id: "p2", isAutomatic: true } }), { status: "running" }],
    [tool("send_mail", "input-available", { input: { to: "team@example.org" }, providerExecuted: true }), { status: "queued" }],
    [tool("send_mail", "approval-responded", { input: { to: "team@example.org" }, approval: { id: "p3", approved: true } }), { status: "approved-not-sent" }],
    [tool("old_call", "input-available", { input }), { status: "unknown" }],
    [tool("mcp__knowledge_base__search_everything_everywhere", "output-available", { input: { query: "a question that is a good deal longer than the row is wide" }, output: [] }), { status: "done", durationMs: 65_000 }],
  ]; // prettier-ignore
  return fixture({ title: "All states", messages: [user("Show every state"), assistant(...parts.map(([part]) => part))], ...withTools(parts) });
}

const PLAN: Json = {
  steps: [
    { title: "Read the document", status: "done" },
    { title: "Make it shorter", status: "done" },
    { title: "Publish it to Feishu", status: "running" },
    { title: "Tell the team", status: "pending" },
  ],
};

const PUBLISH_INPUT: Json = { title: "Weekly report", space: "/team/notes", notify: true };

function approval(more: Partial<Document> = {}, extra: Omit<Fixture, "document"> = {}): Fixture {
  const read = tool("readDocument", "output-available", { input: { id: "doc-7" }, output: "…" });
  const publish = tool("publish_to_feishu", "approval-requested", {
    input: PUBLISH_INPUT,
    approval: { id: "approval-1", requestReason: "Visible to everyone in the team." },
  });
  const mail = tool("send_mail", "input-available", { input: { to: "team@example.org" }, providerExecuted: true });
  return fixture(
    {
      title: "Publish",
      messages: [user("把这篇改短一点，然后发布"), assistant({ type: "data-plan", id: "plan", data: PLAN }, read, text("The short version is ready."), publish, mail)],
      ...withTools([
        [read, { status: "done", kind: "server", durationMs: 204 }],
        [publish, { status: "waiting", kind: "server" }],
        [mail, { status: "queued", kind: "server" }],
      ]),
      ...more,
    },
    extra,
  );
}

function proposal(extra: Omit<Fixture, "document"> = {}): Fixture {
  const before = ["# Weekly report", "", "This week we have, as it were, made very considerable progress on the sidebar.", "Nothing else happened.", "", "Next week we continue.", "", "One", "Two", "Three", "Four", "Five", "Six", "— Lin"].join("\n"); // prettier-ignore
  const after = ["# Weekly report", "", "This week we made progress on the sidebar.", "", "Next week we continue.", "", "One", "Two", "Three", "Four", "Five", "Six", "— Lin"].join("\n"); // prettier-ignore
  const edit = tool("proposeEdit", "input-available", { input: { documentId: "doc-7", rationale: "Half as long", before, after } });
  return fixture(
    {
      title: "Publish",
      clientTools: { proposeEdit: { interactive: true } },
      messages: [user("Make this shorter"), assistant(text("I propose this:"), edit)],
      ...withTools([[edit, { status: "waiting", kind: "client" }]]),
    },
    extra,
  );
}

function question(): Fixture {
  const ask = tool("askUser", "input-available", { input: { question: "Which space should it go to?", options: ["/team/notes", "/public"] } });
  return fixture({
    title: "Publish",
    messages: [user("Publish it"), assistant(text("One question first."), ask)],
    ...withTools([[ask, { status: "waiting", kind: "client" }]]),
  });
}

function failure(): Fixture {
  const call = tool("get_weather", "input-available", { input: { city: "Hangzhou" } });
  return fixture({
    status: "error",
    error: { text: "The connection was closed before the answer was complete." },
    messages: [user("杭州天气怎么样？"), assistant(text("让我看看 🌤️"), call)],
    ...withTools([[call, { status: "interrupted", kind: "server", durationMs: 3_100 }]]),
  });
}

const HALF = "It is cloudy in Hangzhou, 25 °C, and the rain will";

function ended(state: "truncated" | "aborted", more: Partial<Document> = {}): Fixture {
  return fixture({
    messages: [user("杭州天气怎么样？"), assistant(text(HALF, "streaming"))],
    ended: { state, messageId: "a" },
    ...more,
  });
}

function cutOffCall(): Fixture {
  const call = tool("get_weather", "input-available", { input: { city: "Hangzhou" } });
  return ended("truncated", {
    messages: [user("杭州天气怎么样？"), assistant(text("让我看看 🌤️"), call)],
    ...withTools([[call, { status: "interrupted", kind: "server", durationMs: 3_100 }]]),
  });
}

function longOutput(): Fixture {
  const lines = Array.from({ length: 10_000 }, (_, n) => `${String(n).padStart(5, "0")}  GET /notes/${n}.md  ${n % 7 ? 200 : 404}`);
  const call = tool("read_log", "output-available", { input: { path: "server.log" }, output: lines.join("\n") });
  return fixture(
    { messages: [user("What does the log say?"), assistant(call)], ...withTools([[call, { status: "done", durationMs: 1_890 }]]) },
    { press: ["Ran read_log"] },
  );
}

function replay(): Fixture {
  return fixture({
    title: "weather · recorded 2026-11-20",
    source: "replay",
    status: "streaming",
    replay: { speed: 1, playing: true, position_ms: 96, duration_ms: 161 },
    messages: [user("Say hello"), assistant(text("你好，世", "streaming"))],
  });
}

const PICTURE =
  "data:image/svg+xml," +
  encodeURIComponent('<svg xmlns="http://www.w3.org/2000/svg" width="240" height="96"><path d="M0 80L40 60L80 66L120 30L160 40L200 12L240 20" fill="none" stroke="#0072B2" stroke-width="3"/></svg>'); // prettier-ignore

function others(): Fixture {
  const inner = assistant(
    tool("search", "output-available", { input: { query: "SSE" }, output: { results: [1, 2] } }),
    tool("read_page", "output-error", { input: { url: "https://example.org" }, errorText: "timeout" }),
    text("Proxies **buffer** unless told otherwise."),
  );
  const agent = tool("research", "output-available", { title: "the research subagent", input: { question: "Why does it stall?" }, output: inner as unknown as Json });
  return fixture({
    title: "Parts",
    messages: [
      { id: "s", role: "system", parts: [{ type: "text", text: "You are a helpful notebook assistant. Answer briefly." }] },
      { id: "u", role: "user", parts: [{ type: "text", text: "Look at this" }, { type: "file", mediaType: "text/csv", filename: "week48.csv", url: "data:text/csv,a,b" }] },
      assistant(
        agent,
        { type: "data-weather", id: "w", data: { city: "Hangzhou", celsius: 25 } },
        { type: "file", mediaType: "image/svg+xml", filename: "temperature.svg", url: PICTURE },
        { type: "file", mediaType: "application/pdf", filename: "report.pdf", url: "https://example.org/report.pdf" },
        { type: "hologram", hue: 4 } as unknown as Part,
        text("That is all."),
      ),
    ],
    ...withTools([[agent, { status: "done", durationMs: 8_400 }]]),
  }); // prettier-ignore
}

const MARKDOWN = `# Why the first word is late

Between the model and the page sit **three** places that hold bytes back, and *each* can be measured:

1. the server's own buffer,
2. a proxy (\`nginx\` has \`proxy_buffering\`),
   - off for this route
   - on for everything else
3. compression.

> A stream that arrives at once is not a stream.

\`\`\`python
import aisdk_lab as lab

capture = lab.record("http://127.0.0.1:8000/api/chat", json={"messages": []})
lab.measure(capture).first_text_ms
\`\`\`

- [x] measured
- [ ] mended

![a picture](https://example.org/tracker.png)

中文与 English 混排：**流式**输出里，一个汉字可能被切在两段之间。
`;

export function fixtures(): Record<string, Fixture> {
  serial = 0;
  const sending = approval({ queuedDecisions: { "approval-1": "busy-cell" }, notice: "busy-cell" });
  return {
    empty: fixture({ suggestions: SUGGESTIONS }),
    thinking: fixture({ status: "submitted", messages: [user("杭州天气怎么样？")] }),
    weather: weather(),
    "weather-open": { ...weather(), press: ["Thought for", "Ran get_weather", "Used 2 sources"] },
    streaming: streaming(),
    states: allStates(),
    approval: approval(),
    "approval-zh": approval({ language: "zh", title: "发布助手" }),
    "approval-deny": approval({}, { press: ["Deny…"] }),
    "approval-queued": sending,
    proposal: proposal(),
    question: question(),
    failure: failure(),
    "cut-off": ended("truncated"),
    "cut-off-zh": ended("truncated", { language: "zh", title: "天气" }),
    "cut-off-call": cutOffCall(),
    stopped: ended("aborted"),
    "long-output": longOutput(),
    replay: replay(),
    gone: { ...weather(), isGone: true },
    others: { ...others(), press: ["Ran the research subagent"] },
    markdown: fixture({ title: "Markdown", messages: [user("Explain"), assistant(text(MARKDOWN))] }),
  };
}
