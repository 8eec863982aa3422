// node record.mjs play < inputs.jsonl > cases.jsonl          what the real client did, for each input
// node record.mjs random SEED COUNT > cases.jsonl            random scripts of a seed, and what it did
// A whole chat client (AbstractChat of `ai`, installed by `python -m tests install`) with a scripted transport. Nothing of it
// is replaced but the state container, which keeps a diary. The format of the cases is that of chat.jsonl (PROVENANCE.md).
import { createRequire } from "node:module";
import { text as readAll } from "node:stream/consumers";
import { randomScripts } from "./random_scripts.mjs";

const require = createRequire(new URL("../../interop/", import.meta.url));
const { AbstractChat, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls } = require("ai");
const AUTOMATIC = {
  toolCalls: lastAssistantMessageIsCompleteWithToolCalls,
  approvals: lastAssistantMessageIsCompleteWithApprovalResponses,
  either: (chat) => lastAssistantMessageIsCompleteWithToolCalls(chat) || lastAssistantMessageIsCompleteWithApprovalResponses(chat),
};

const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const settled = async () => {
  for (let turn = 0; turn < 4; turn++) await new Promise(setImmediate);
};
const problem = ({ name = "Error", message }) => {
  const Kind = { TypeError, RangeError, SyntaxError }[name] ?? Error;
  return Object.assign(new Kind(message), Kind === Error && name !== "Error" ? { name } : {});
};
const described = (error) => {
  const found = { name: error.name, message: error.message };
  for (const key of ["chunkType", "chunkId", "parameter", "statusCode", "url", "responseBody"]) if (error[key] !== undefined) found[key] = error[key];
  return found;
};

class State {
  #status = "ready";
  #messages;
  error = undefined;
  constructor(messages, note) {
    this.#messages = messages;
    this.note = note;
  }
  get status() {
    return this.#status;
  }
  set status(status) {
    this.#status = status;
    this.note("status", { status });
  }
  get messages() {
    return this.#messages;
  }
  set messages(messages) {
    this.#messages = messages;
  }
  pushMessage = (message) => {
    this.#messages = [...this.#messages, structuredClone(message)];
    this.note("message", { op: "push", index: this.#messages.length - 1, message });
  };
  popMessage = () => {
    this.#messages = this.#messages.slice(0, -1);
  };
  replaceMessage = (index, message) => {
    this.#messages = this.#messages.with(index, structuredClone(message));
    this.note("message", { op: "replace", index, message });
  };
  snapshot = (value) => structuredClone(value);
}

class Transport {
  current = null; // the controller of the newest response
  fails = [];
  nothing = 0;
  constructor(note, isReplay) {
    this.note = note;
    this.resumeStreamIsReplay = isReplay;
  }
  #open(abortSignal) {
    return new ReadableStream({
      start: (controller) => {
        this.current = controller;
        abortSignal?.addEventListener("abort", () => {
          try {
            controller.error(new DOMException("This operation was aborted", "AbortError"));
          } catch {}
        });
      },
    });
  }
  async sendMessages({ chatId, messages, trigger, messageId, abortSignal }) {
    this.note("transport", { op: "sendMessages", trigger, messageId, chatId, messages });
    if (this.fails.length) throw this.fails.shift();
    return this.#open(abortSignal);
  }
  async reconnectToStream({ chatId, abortSignal }) {
    this.note("transport", { op: "reconnectToStream", chatId });
    if (this.fails.length) throw this.fails.shift();
    if (this.nothing) {
      this.nothing -= 1;
      return null;
    }
    return this.#open(abortSignal);
  }
}

export async function play(input) {
  const events = [];
  let place = {};
  const note = (type, fields) => events.push(plain({ ...place, type, ...fields }));
  const { options = {}, script } = input;
  const transport = new Transport(note, options.resumeStreamIsReplay ?? true);
  let ids = 0;
  const chat = new (class extends AbstractChat {})({
    id: "chat-1",
    state: new State(plain(input.messages ?? []), note),
    transport,
    generateId: () => `gen-${++ids}`,
    sendAutomaticallyWhen: AUTOMATIC[options.sendAutomaticallyWhen],
    experimental_queue: options.queue ?? false,
    onError: (error) => note("error", described(error)),
    onData: (part) => note("data", { part }),
    onFinish: ({ message, messages, isAbort, isDisconnect, isError, finishReason }) =>
      note("finish", { isAbort, isDisconnect, isError, finishReason, message, messageCount: messages.length }),
    onToolCall: ({ toolCall }) => {
      note("toolCall", { toolCall });
      const { toolName: tool, toolCallId } = toolCall;
      if (options.onToolCall && Object.hasOwn(options.onToolCall, tool)) void chat.addToolOutput({ tool, toolCallId, output: options.onToolCall[tool] });
    },
  });
  const call = (promise) => promise.catch((error) => note("rejected", described(error)));
  const quietly = (act) => {
    try {
      act();
    } catch {}
  };
  const act = {
    send: ({ message, options }) => call(chat.sendMessage(plain(message), options)),
    regenerate: ({ messageId }) => call(chat.regenerate(messageId === undefined ? {} : { messageId })),
    resume: () => call(chat.resumeStream()),
    close: () => quietly(() => transport.current?.close()),
    fail: ({ error }) => quietly(() => transport.current?.error(problem(error))),
    stop: () => call(chat.stop()),
    clearError: () => chat.clearError(),
    toolOutput: ({ tool, toolCallId, output, state, errorText }) =>
      call(chat.addToolOutput(state === "output-error" ? { state, tool, toolCallId, errorText } : { tool, toolCallId, output })),
    approval: ({ id, approved, reason }) => call(chat.addToolApprovalResponse({ id, approved, reason })),
    setMessages: ({ messages }) => (chat.messages = plain(messages)),
    transportError: ({ error }) => transport.fails.push(problem(error)),
    reconnectNull: () => (transport.nothing += 1),
  };
  for (const [number, step] of script.entries()) {
    place = { step: number };
    if (step.do === "chunks") {
      for (const [index, chunk] of step.chunks.entries()) {
        place = { step: number, chunk: index };
        try {
          transport.current.enqueue(plain(chunk));
        } catch {
          note("dropped", { chunkType: chunk?.type });
        }
        await settled();
      }
    } else {
      act[step.do](step);
      await settled();
    }
  }
  const final = { status: chat.status, error: chat.error ? described(chat.error) : null, messages: chat.messages, queued: chat.experimental_queuedMessages };
  return plain({ events, final });
}

if (import.meta.main) {
  const [how, seed, count] = process.argv.slice(2);
  const inputs =
    how === "random"
      ? randomScripts(Number(seed), Number(count)).map((input, number) => ({ name: `random/${seed}-${number}`, input }))
      : (await readAll(process.stdin)).split("\n").filter(Boolean).map((line) => JSON.parse(line));
  process.on("unhandledRejection", () => {}); // of promises that nobody in a page awaits either
  for (const { name, input } of inputs) console.log(JSON.stringify({ name, input, expect: await play(input) }));
}
