// node record.mjs: what `ai` (installed by `python -m tests install`) does with the inputs of cases.jsonl, as vector files.
// One file a kind, beside this one, in the format that tests/vectors.py runs: sse, reduce, partial_json, predicates,
// validate_messages, convert. Names are those of the cases.
import { readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";

globalThis.AI_SDK_LOG_WARNINGS = false;
const require = createRequire(new URL("../../interop/", import.meta.url));
const ai = require("ai");

const plain = (value) => (value === undefined ? undefined : JSON.parse(JSON.stringify(value)));
const settled = async () => {
  for (let turn = 0; turn < 6; turn++) await new Promise(setImmediate);
};
const described = (error) => {
  const kept = Object.fromEntries(["chunkType", "chunkId"].filter((key) => key in error).map((key) => [key, error[key]]));
  return { name: error.name, message: error.message, ...kept };
};
const bytesOf = (read) => (typeof read === "string" ? Buffer.from(read) : Buffer.from(read.hex, "hex"));

async function sse({ chunks }) {
  const events = [];
  const stream = new ReadableStream({
    start(controller) {
      for (const read of chunks) controller.enqueue(Buffer.from(read, "base64"));
      controller.close();
    },
  });
  const reader = ai.parseJsonEventStream({ stream, schema: ai.uiMessageChunkSchema }).getReader();
  for (let result = await reader.read(); !result.done; result = await reader.read()) {
    const { success, value, error, rawValue } = result.value;
    events.push(success ? { success, value } : { success, error: described(error), ...(error.name === "AI_JSONParseError" ? {} : { rawValue }) });
  }
  return { events, streamError: null };
}

/** Feeds chunk by chunk, so that every snapshot and error can be laid to the chunk that caused it. */
async function read(chunks, message) {
  const snapshots = [];
  const errors = [];
  let after = 0;
  let controller;
  const stream = new ReadableStream({ start: (given) => void (controller = given) });
  const reading = (async () => {
    for await (const snapshot of ai.readUIMessageStream({
      message: structuredClone(message),
      stream,
      onError: (error) => void errors.push({ after, ...described(error) }),
    })) {
      snapshots.push({ after, message: plain(snapshot) });
    }
  })();
  let endedAt = null;
  for (const [index, chunk] of chunks.entries()) {
    after = index;
    controller.enqueue(structuredClone(chunk));
    await settled();
    if (chunk.type !== "error" && errors.at(-1)?.after === index) {
      endedAt = index;
      break;
    }
  }
  if (endedAt === null) controller.close();
  await reading;
  return { snapshots, errors, endedAt };
}

async function reduce({ chunks, initialMessage }) {
  const { snapshots, errors, endedAt } = await read(chunks, initialMessage);
  // Parts may have come without a snapshot; empty metadata at the end brings one and says nothing itself.
  const asked = await read([...chunks.slice(0, endedAt ?? chunks.length), { type: "message-metadata", messageMetadata: {} }], initialMessage);
  const final = asked.snapshots.at(-1).message;
  if (JSON.stringify(final.metadata) === "{}") delete final.metadata;
  return { snapshots, final, errors, error: errors[0]?.message ?? null, endedAt, thrown: null };
}

async function partial_json({ text }) {
  const { state, value } = await ai.parsePartialJson(text);
  return { state, value };
}

async function predicates({ messages }) {
  return {
    toolCalls: ai.lastAssistantMessageIsCompleteWithToolCalls({ messages }),
    approvalResponses: ai.lastAssistantMessageIsCompleteWithApprovalResponses({ messages }),
  };
}

async function validate_messages({ messages }) {
  const { success, data, error } = await ai.safeValidateUIMessages({ messages });
  if (success) return { success, data };
  const issues = error.cause?.issues?.map(({ path, message }) => ({ path, message })) ?? null;
  return { success, error: { name: error.name, message: error.message.split(".")[0] + ".", truncated: true }, issues };
}

async function convert({ messages, options = {} }) {
  try {
    return { modelMessages: await ai.convertToModelMessages(messages, options) };
  } catch (error) {
    return { error: described(error) };
  }
}

const inputsOf = {
  network: async ({ chunks, protocol }) => {
    if (protocol) return []; // a foreign protocol: the client of `ai` has no reader for it
    const reads = { chunks: chunks.map((read) => bytesOf(read).toString("base64")), schema: "ui" };
    const { events } = await sse(reads);
    const good = events.slice(0, events.findIndex((event) => !event.success) >>> 0);
    return [["sse", reads], ["reduce", { chunks: good.map((event) => event.value) }]];
  },
  "ui-chunks": ({ chunks, message }) => [["reduce", { chunks, ...(message && { initialMessage: message }) }]],
  "partial-json": ({ prefixes }) => prefixes.map((text) => ["partial_json", { text }]),
  "ui-messages": ({ messages }) => [
    ["predicates", { messages }],
    ["validate_messages", { messages }],
    ["convert", { messages }],
    ["convert", { messages, options: { ignoreIncompleteToolCalls: true } }],
  ],
};
const kinds = { sse, reduce, partial_json, predicates, validate_messages, convert };
const files = Object.fromEntries(Object.keys(kinds).map((kind) => [kind, []]));

for (const line of readFileSync(new URL("cases.jsonl", import.meta.url), "utf8").trimEnd().split("\n")) {
  const { id, input } = JSON.parse(line);
  for (const [number, [kind, given]] of ((await inputsOf[input.form]?.(input)) ?? []).entries()) {
    files[kind].push({ name: `${id}/${number}`, input: given, expect: plain(await kinds[kind](given)) });
  }
}
for (const [kind, cases] of Object.entries(files)) {
  writeFileSync(new URL(`${kind}.jsonl`, import.meta.url), cases.map((each) => `${JSON.stringify(each)}\n`).join(""));
}
