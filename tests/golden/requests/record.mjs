// node record.mjs play < inputs.jsonl > cases.jsonl          what the real client sent and made of the answers, for each input
// node record.mjs random SEED COUNT > cases.jsonl            random cases of a seed
// AbstractChat with DefaultChatTransport of `ai` (installed by `python -m tests install`) against a loopback server.
// The format of the cases: PROVENANCE.md.
import { createServer } from "node:http";
import { createRequire } from "node:module";
import { text as readAll } from "node:stream/consumers";
import { randomness } from "../chat/random_scripts.mjs";

const require = createRequire(new URL("../../interop/", import.meta.url));
const { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } = require("ai");
const AUTOMATIC = {
  toolCalls: lastAssistantMessageIsCompleteWithToolCalls,
  approvals: lastAssistantMessageIsCompleteWithApprovalResponses,
  either: (chat) => lastAssistantMessageIsCompleteWithToolCalls(chat) || lastAssistantMessageIsCompleteWithApprovalResponses(chat),
};
const SCHEMA_TEXTS = ["AI_JSONParseError", "AI_TypeValidationError"];
const DROPPED = ["host", "date", "content-length"];

class State {
  status = "ready";
  error = undefined;
  constructor(messages) {
    this.messages = messages;
  }
  pushMessage = (message) => {
    this.messages = [...this.messages, structuredClone(message)];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index, message) => {
    this.messages = this.messages.with(index, structuredClone(message));
  };
  snapshot = (value) => structuredClone(value);
}

async function serving(answers) {
  const asked = [];
  const server = createServer(async (request, response) => {
    const bodyText = await readAll(request);
    const headers = Object.fromEntries(Object.entries(request.headers).filter(([name]) => !DROPPED.includes(name)));
    asked.push({ method: request.method, path: request.url, headers, ...(bodyText && { bodyText, body: JSON.parse(bodyText) }) });
    if (asked.length > 12) return response.writeHead(500).end("a client that does not stop asking");
    const { status = 200, headers: own = {}, chunks, body = "", close } = answers[Math.min(asked.length, answers.length) - 1];
    response.writeHead(status, { "content-type": "text/event-stream", ...own });
    const text = chunks ? chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join("") : body;
    if (text) response.write(text);
    if (close === "broken") setTimeout(() => response.destroy(), 30);
    else response.end(chunks ? "data: [DONE]\n\n" : undefined);
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  return { asked, origin: `http://127.0.0.1:${server.address().port}`, close: () => (server.closeAllConnections(), server.close()) };
}

export async function play({ client = {}, actions, responses }) {
  const server = await serving(responses);
  const events = [];
  const note = (type, fields) => events.push(JSON.parse(JSON.stringify({ type, ...fields })));
  const described = (error) => {
    const { name } = error;
    if (SCHEMA_TEXTS.includes(name)) return { name, message: error.message.split("\n")[0], truncated: true };
    const found = { name, message: error.message };
    for (const key of ["chunkType", "chunkId", "parameter", "statusCode", "responseBody", "url"]) if (error[key] !== undefined) found[key] = error[key];
    if (found.url) found.url = found.url.replace(server.origin, "http://HOST");
    return found;
  };
  const transport = new DefaultChatTransport({
    api: server.origin + (client.api ?? "/api/chat"),
    headers: client.headers,
    body: client.body,
    ...(client.resumeStreamIsReplay !== undefined && { resumeStreamIsReplay: client.resumeStreamIsReplay }),
    ...(client.prepare && {
      prepareSendMessagesRequest: ({ id, messages, trigger, body, headers, requestMetadata }) => ({
        body: { id, message: messages.at(-1), trigger, extra: body, requestMetadata },
        headers: { ...headers, "x-prepared": "yes" },
      }),
    }),
    ...(client.prepareReconnect && {
      prepareReconnectToStreamRequest: ({ id, headers }) => ({ api: `${server.origin}/custom/${id}`, headers: { ...headers, "x-reconnect": "1" } }),
    }),
  });
  let ids = 0;
  const ends = [];
  const chat = new (class extends AbstractChat {})({
    id: client.id ?? "chat-1",
    state: new State(structuredClone(client.messages ?? [])),
    transport,
    generateId: () => `gen-${++ids}`,
    sendAutomaticallyWhen: AUTOMATIC[client.sendAutomaticallyWhen],
    onError: (error) => note("error", described(error)),
    onData: (part) => note("data", { part }),
    onFinish: ({ message, isAbort, isDisconnect, isError, finishReason }) => note("finish", { isAbort, isDisconnect, isError, finishReason, messageId: message.id }),
    onToolCall: ({ toolCall }) => {
      note("toolCall", { toolCall });
      const { toolName: tool, toolCallId } = toolCall;
      if (client.onToolCall && Object.hasOwn(client.onToolCall, tool)) ends.push(chat.addToolOutput({ tool, toolCallId, output: client.onToolCall[tool] }));
    },
  });
  const idle = async () => {
    for (let quiet = 0; quiet < 3; ) {
      await new Promise((done) => setTimeout(done, 5));
      quiet = ["submitted", "streaming"].includes(chat.status) ? 0 : quiet + 1;
    }
  };
  for (const { do: what, options: given, message, messageId, id, approved, reason, tool, toolCallId, output, state, errorText, ...rest } of actions) {
    const options = { ...rest, ...given };
    try {
      if (what === "send") await chat.sendMessage(message, options);
      else if (what === "resend") await chat.sendMessage(undefined, options);
      else if (what === "regenerate") await chat.regenerate({ messageId, ...options });
      else if (what === "resume") await chat.resumeStream(options);
      else if (what === "toolOutput") await chat.addToolOutput(state ? { state, tool, toolCallId, errorText, options } : { tool, toolCallId, output, options });
      else if (what === "approval") await chat.addToolApprovalResponse({ id, approved, reason, options });
    } catch (error) {
      note("rejected", { name: error.name, message: error.message });
    }
    await idle();
  }
  server.close();
  const result = { events, status: chat.status, error: chat.error ? described(chat.error) : null, messages: chat.messages };
  return JSON.parse(JSON.stringify({ requests: server.asked, result }));
}

function caseOf({ chance, pick }) {
  const text = (id, words) => [{ type: "text-start", id }, { type: "text-delta", id, delta: words }, { type: "text-end", id }];
  const call = (toolCallId, toolName, more = []) => [{ type: "tool-input-available", toolCallId, toolName, input: pick([{ q: 1 }, {}, { "ü": [1.5, "\u2028"] }]), ...(chance(0.2) && { title: "T" }) }, ...more];
  const chunks = () => [
    ...(chance(0.9) ? [{ type: "start", ...(chance(0.7) && { messageId: pick(["m1", "m2"]) }), ...(chance(0.2) && { messageMetadata: { n: 1 } }) }] : []),
    ...(chance(0.7) ? [{ type: "start-step" }] : []),
    ...pick([
      text("t", "ünï 杭州"),
      call("c1", "ask"),
      call("c1", "loc"),
      call("c1", "rm", [{ type: "tool-approval-request", approvalId: "p1", toolCallId: "c1" }]),
      [...text("t", "a"), ...call("c2", "loc"), ...call("c1", "ask")],
      [{ type: "data-x", id: "d", data: { a: 1 } }, { type: "data-y", data: 2, transient: true }],
      [{ type: "tool-input-start", toolCallId: "c1", toolName: "ask" }, { type: "tool-input-delta", toolCallId: "c1", inputTextDelta: '{"q":' }, ...call("c1", "ask")],
      chance(0.5) ? [{ type: "error", errorText: "boom" }] : [{ type: "text-delta", id: "none", delta: "x" }],
      [{ type: "tool-output-available", toolCallId: "c1", output: "done" }],
      chance(0.3) ? [{ type: "wat" }] : [{ type: "reasoning-start", id: "r" }, { type: "reasoning-delta", id: "r", delta: "h" }, { type: "reasoning-end", id: "r" }],
    ]),
    ...(chance(0.8) ? [{ type: "finish", ...(chance(0.8) && { finishReason: pick(["stop", "tool-calls", "length"]) }) }] : []),
  ];
  const response = () => (chance(0.75) ? { chunks: chunks(), ...(chance(0.1) && { close: "broken" }) } : pick([{ status: 204 }, { status: 500, body: "no" }, { status: 404, body: "" }, { status: 405, headers: { "content-type": "application/json" }, body: '{"error":"ü"}' }, { body: "" }, { body: "data: oops\n\n" }, { body: 'data: {"type":"start","messageId":"m1"}\r\n\r\n: keep-alive\r\n\r\ndata: [DONE]\r\n\r\n' }, { status: 201, chunks: chunks() }]));
  const options = () => ({ ...(chance(0.5) && { headers: pick([{ "X-Request": "r1" }, { Authorization: "Bearer t" }, { "x-a": "2" }]) }), ...(chance(0.5) && { body: pick([{ temperature: 0.2 }, { id: "mine", a: 2, zahl: 1e21 }, { messages: 1 }]) }), ...(chance(0.3) && { metadata: { m: 1 } }) });
  const action = () => ({
    ...pick([
      { do: "send", message: pick([{ text: "hi" }, { text: "é \ud83d\ude00", metadata: { at: 1 } }, { parts: [{ type: "data-ctx", data: [1, null] }] }]) },
      { do: "send", message: { text: "again" } },
      { do: "resume" },
      { do: "resend" },
      { do: "regenerate", ...(chance(0.4) && { messageId: pick(["u1", "m1", "zz"]) }) },
      { do: "toolOutput", tool: "ask", toolCallId: pick(["c1", "c1", "c2"]), ...(chance(0.7) ? { output: pick([1, { a: [] }, null]) } : { state: "output-error", errorText: "closed" }) },
      { do: "approval", id: "p1", approved: chance(0.5), ...(chance(0.3) && { reason: "so" }) },
    ]),
    ...(chance(0.5) && { options: options() }),
  });
  const client = {
    ...(chance(0.4) && { id: pick(["a b/ü?", "..", ".", "c%2F'()*!~", "x#y"]) }),
    ...(chance(0.3) && { api: pick(["/api/chat/", "/api/chat?x=1&y=ü", "/api/chat/?x=1#f", "/api/chat#f/g", "/"]) }),
    ...(chance(0.3) && { headers: { "x-a": "1", "Content-Type": "application/vnd.test+json" } }),
    ...(chance(0.3) && { body: { a: 1, trigger: "mine" } }),
    ...(chance(0.6) && { sendAutomaticallyWhen: pick(["toolCalls", "approvals", "either"]) }),
    ...(chance(0.3) && { onToolCall: { loc: "Oslo" } }),
    ...(chance(0.15) && { prepare: "lastMessage" }),
    ...(chance(0.15) && { prepareReconnect: true }),
    ...(chance(0.2) && { resumeStreamIsReplay: chance(0.5) }),
    ...(chance(0.4) && { messages: [{ id: "u1", role: "user", parts: [{ type: "text", text: "q" }] }, ...(chance(0.5) ? [{ id: "m1", role: "assistant", parts: [{ type: "tool-ask", toolCallId: "c1", state: pick(["input-available", "output-available"]), input: {} }] }] : [])] }),
  };
  const several = (make) => Array.from({ length: pick([1, 2, 3]) }, make);
  // The last answer repeats: one that makes the client ask again and again must not be the last.
  return { actions: several(action), responses: [...several(response), { chunks: [{ type: "start", messageId: "last" }, { type: "start-step" }, ...text("t", "end"), { type: "finish", finishReason: "stop" }] }], ...(Object.keys(client).length && { client }) };
}

if (import.meta.main) {
  const [how, seed, count] = process.argv.slice(2);
  const dice = randomness(Number(seed));
  const inputs =
    how === "random"
      ? Array.from({ length: Number(count) }, (_, number) => ({ name: `random/${seed}-${number}`, input: caseOf(dice) }))
      : (await readAll(process.stdin)).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  process.on("unhandledRejection", () => {});
  for (const { name, input } of inputs) {
    const expect = await play(input);
    if (expect.requests.length <= 12) console.log(JSON.stringify({ name, input, expect }));
  }
  process.exit(0);
}
