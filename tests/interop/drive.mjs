// The real client (ai 7.0.173) driven by a scenario: JSON on stdin, what it saw as JSON on stdout.
//
// Nothing of the client is replaced but its state container, which is a plain object that keeps a diary. Scenario:
//   { api, token?, door: "ai-sdk" | "awaken", threadId, agentId?, sendAutomaticallyWhen: "toolCalls" | "approvals" | "either" | null,
//     outputs?: {toolName: output}       answered inside onToolCall
//     messages?: UIMessage[]             the history that the page starts with
//     steps: [ {do: "send", text} | {do: "approve", approved, reason?} | {do: "toolOutput", tool, output | errorText}
//            | {do: "regenerate"} | {do: "resubmit"} | {do: "stop", after: text} ] }
// A step may say `rounds` (default 1): how many responses must have ended before the next step. `stop` waits until the
// text was shown, then stops; it follows a `send` with `rounds: 0`.
import { AbstractChat, DefaultChatTransport, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } from "ai";
import { text as readAll } from "node:stream/consumers";

const LIMIT_MS = 20_000;
const AUTOMATIC = {
  toolCalls: lastAssistantMessageIsCompleteWithToolCalls,
  approvals: lastAssistantMessageIsCompleteWithApprovalResponses,
  either: (chat) => lastAssistantMessageIsCompleteWithToolCalls(chat) || lastAssistantMessageIsCompleteWithApprovalResponses(chat),
};

const scenario = JSON.parse(await readAll(process.stdin));
const diary = { statuses: [], finishes: [], errors: [], data: [], toolCalls: [], requests: [] };
let changed = Promise.withResolvers(); // settled at every event, so that waiting needs no clock
function note(kind, entry) {
  diary[kind].push(entry);
  wake();
}
function wake() {
  changed.resolve();
  changed = Promise.withResolvers();
}

class State {
  #status = "ready";
  #messages = scenario.messages ?? [];
  error = undefined;
  get status() {
    return this.#status;
  }
  set status(status) {
    this.#status = status;
    note("statuses", status);
  }
  get messages() {
    return this.#messages;
  }
  set messages(messages) {
    this.#messages = messages;
    wake();
  }
  pushMessage = (message) => {
    this.messages = [...this.#messages, message];
  };
  popMessage = () => {
    this.messages = this.#messages.slice(0, -1);
  };
  replaceMessage = (index, message) => {
    this.messages = this.#messages.with(index, structuredClone(message));
  };
  snapshot = structuredClone;
}

class Chat extends AbstractChat {
  constructor(init) {
    super({ ...init, state: new State() });
  }
}

const { threadId, agentId } = scenario;
const doors = {
  "ai-sdk": {},
  awaken: { prepareSendMessagesRequest: ({ messages }) => ({ body: { messages, threadId, agentId } }) },
};
const chat = new Chat({
  id: threadId,
  transport: new DefaultChatTransport({
    api: scenario.api,
    headers: scenario.token ? { Authorization: `Bearer ${scenario.token}` } : {},
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      note("requests", { body: JSON.parse(init.body), status: response.status, headers: Object.fromEntries(response.headers) });
      return response;
    },
    ...doors[scenario.door],
  }),
  sendAutomaticallyWhen: AUTOMATIC[scenario.sendAutomaticallyWhen],
  onError: ({ name, message }) => note("errors", { name, message }),
  onData: (part) => note("data", part),
  onToolCall: ({ toolCall }) => {
    note("toolCalls", toolCall);
    const { toolName: tool, toolCallId } = toolCall;
    // Not awaited: the callback runs inside the queue that addToolOutput waits for.
    if (tool in (scenario.outputs ?? {})) void chat.addToolOutput({ tool, toolCallId, output: scenario.outputs[tool] });
  },
  onFinish: ({ message, messages, ...how }) => note("finishes", { ...how, messageId: message.id, count: messages.length }),
});

const parts = () => chat.messages.flatMap((message) => message.parts);
const shown = () => parts().map((part) => part.text ?? "").join("");
const isTool = (part) => part.type === "dynamic-tool" || part.type.startsWith("tool-");
const nameOf = (part) => part.toolName ?? part.type.slice("tool-".length);

async function until(what, holds) {
  while (!holds()) await changed.promise;
  return what;
}
function find(what, matches) {
  const part = parts().findLast((part) => isTool(part) && matches(part));
  if (part === undefined) throw new Error(`no part ${what} in ${JSON.stringify(chat.messages)}`);
  return part;
}

const DO = {
  send: ({ text }) => chat.sendMessage({ text }),
  regenerate: () => chat.regenerate(),
  resubmit: () => chat.sendMessage(),
  approve: ({ approved, reason }) => {
    const part = find("waits for approval", (part) => part.state === "approval-requested");
    return chat.addToolApprovalResponse({ id: part.approval.id, approved, ...(reason === undefined ? {} : { reason }) });
  },
  toolOutput: ({ tool, output, errorText }) => {
    const { toolCallId } = find(`${tool} waits`, (part) => nameOf(part) === tool && part.state === "input-available");
    const answer = errorText === undefined ? { output } : { state: "output-error", errorText };
    return chat.addToolOutput({ tool, toolCallId, ...answer });
  },
  stop: async ({ after }) => {
    await until(`${after} shown`, () => shown().includes(after));
    await chat.stop();
  },
};

let now = "nothing";
const limit = setTimeout(() => {
  console.error(`no end of ${now} within ${LIMIT_MS} ms`, JSON.stringify({ ...diary, messages: chat.messages }));
  process.exit(1);
}, LIMIT_MS);
let rounds = 0;
const calls = [];
for (const step of scenario.steps) {
  now = JSON.stringify(step);
  rounds += step.rounds ?? 1;
  calls.push(DO[step.do](step));
  await until(now, () => diary.finishes.length >= rounds && (step.rounds === 0 || ["ready", "error"].includes(chat.status)));
}
await Promise.all(calls);
clearTimeout(limit);
process.stdout.write(JSON.stringify({ ...diary, status: chat.status, messages: chat.messages, unexpected: diary.finishes.length - rounds }));
