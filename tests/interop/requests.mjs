// The real HTTP transport and chat (ai 7.0.173) against a loopback server that answers what a case says: JSON on stdin,
// outcomes as JSON on stdout.   {inputs: [input, …]}  →  [expect, …]   (format: tests/golden/requests)
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { createServer } from "node:http";
import { text as readAll } from "node:stream/consumers";

const AUTOMATIC = {
  toolCalls: lastAssistantMessageIsCompleteWithToolCalls,
  approvals: lastAssistantMessageIsCompleteWithApprovalResponses,
  either: (chat) => lastAssistantMessageIsCompleteWithToolCalls(chat) || lastAssistantMessageIsCompleteWithApprovalResponses(chat),
};
const LIMIT_MS = 10_000;
const QUIET_TURNS = 3; // the chat is idle and has stayed so: an automatic request starts within microtasks

class State {
  status = "ready";
  error = undefined;
  constructor(messages) {
    this.messages = messages;
  }
  pushMessage = (message) => { this.messages = [...this.messages, message]; };
  popMessage = () => { this.messages = this.messages.slice(0, -1); };
  replaceMessage = (index, message) => { this.messages = this.messages.with(index, structuredClone(message)); };
  snapshot = structuredClone;
}

function errorOf(error, host) {
  const { name, message, parameter, statusCode, responseBody, url, chunkType, chunkId } = error;
  const isQuoting = /^(AI_TypeValidationError|AI_JSONParseError)$/.test(name);
  const said = isQuoting ? { message: message.split("\nError message:")[0], truncated: true } : { message };
  return { name, ...said, parameter, statusCode, responseBody, url: url?.replace(host, "http://HOST"), chunkType, chunkId };
}

async function serve(responses, requests) {
  const server = createServer(async (request, response) => {
    const bodyText = await readAll(request);
    const { host, date, "content-length": length, ...headers } = request.headers;
    requests.push({ method: request.method, path: request.url, headers, ...(bodyText ? { bodyText, body: JSON.parse(bodyText) } : {}) });
    const { status = 200, headers: answered = {}, chunks, body, close } = responses[Math.min(requests.length, responses.length) - 1];
    response.writeHead(status, { ...(chunks ? { "content-type": "text/event-stream" } : {}), ...answered });
    for (const chunk of chunks ?? []) response.write(`data: ${JSON.stringify(chunk)}\n\n`);
    if (close === "broken") setTimeout(() => response.destroy(), 50); // what was written is on its way
    else response.end(body ?? (chunks ? "data: [DONE]\n\n" : undefined));
  });
  await new Promise((listening) => server.listen(0, "127.0.0.1", listening));
  return server;
}

const PREPARE = {
  lastMessage: ({ id, messages, trigger, body, headers, requestMetadata }) => ({
    body: { id, message: messages.at(-1), trigger, extra: body, requestMetadata },
    headers: { ...headers, "x-prepared": "yes" },
  }),
};

async function play({ client = {}, actions, responses }) {
  const requests = [], events = [];
  const server = await serve(responses, requests);
  const host = `http://127.0.0.1:${server.address().port}`;
  const note = (type, fields) => events.push({ type, ...fields });
  let ids = 0;
  const chat = new (class extends AbstractChat {})({
    id: client.id ?? "chat-1",
    state: new State(client.messages ?? []),
    generateId: () => `gen-${++ids}`,
    transport: new DefaultChatTransport({
      api: host + (client.api ?? "/api/chat"),
      headers: client.headers,
      body: client.body,
      prepareSendMessagesRequest: PREPARE[client.prepare],
      prepareReconnectToStreamRequest: client.prepareReconnect
        ? ({ id, headers }) => ({ api: `${host}/custom/${id}`, headers: { ...headers, "x-reconnect": "1" } })
        : undefined,
    }),
    sendAutomaticallyWhen: AUTOMATIC[client.sendAutomaticallyWhen],
    onError: (error) => note("error", errorOf(error, host)),
    onData: (part) => note("data", { part }),
    onFinish: ({ message, isAbort, isDisconnect, isError, finishReason }) =>
      note("finish", { isAbort, isDisconnect, isError, finishReason, messageId: message.id }),
    onToolCall: ({ toolCall }) => {
      note("toolCall", { toolCall });
      const { toolName: tool, toolCallId } = toolCall;
      // Not awaited: the callback runs inside the queue that addToolOutput waits for.
      if (Object.hasOwn(client.onToolCall ?? {}, tool)) void chat.addToolOutput({ tool, toolCallId, output: client.onToolCall[tool] });
    },
  });
  const act = {
    send: ({ message, options }) => chat.sendMessage(message, options),
    resend: ({ options }) => chat.sendMessage(undefined, options),
    regenerate: ({ do: _, ...options }) => chat.regenerate(options),
    resume: ({ options }) => chat.resumeStream(options),
    toolOutput: ({ do: _, ...answer }) => chat.addToolOutput(answer),
    approval: ({ do: _, ...answer }) => chat.addToolApprovalResponse(answer),
  };
  for (const action of actions) {
    await act[action.do](action);
    await idle(chat);
  }
  server.close();
  server.closeAllConnections();
  const { status, error, messages } = chat;
  return { requests, result: { events, status, error: error ? errorOf(error, host) : null, messages } };
}

async function idle(chat) {
  const end = Date.now() + LIMIT_MS;
  for (let quiet = 0; quiet < QUIET_TURNS; ) {
    await new Promise(setImmediate);
    quiet = ["ready", "error"].includes(chat.status) ? quiet + 1 : 0;
    if (Date.now() > end) throw new Error(`the chat is still ${chat.status} after ${LIMIT_MS} ms`);
  }
}

const { inputs } = JSON.parse(await readAll(process.stdin));
const outcomes = [];
for (const input of inputs) outcomes.push(await play(input));
process.stdout.write(JSON.stringify(outcomes));
