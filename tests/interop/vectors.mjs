// The real package (ai 7.0.173) as a recorder of conformance cases: JSON on stdin, outcomes as JSON on stdout.
//
//   {kind: "reduce" | "sse" | "partial_json" | "chunk_validation" | "predicates" | "validate_messages" | "convert",
//    inputs: [input, …]}  →  [expect, …]
//
// What an input and an outcome hold is said in tests/vectors.py and recorded in tests/golden.
import {
  convertToModelMessages, lastAssistantMessageIsCompleteWithApprovalResponses, lastAssistantMessageIsCompleteWithToolCalls,
  parseJsonEventStream, parsePartialJson, readUIMessageStream, safeValidateUIMessages, uiMessageChunkSchema,
} from "ai";
import { text as readAll } from "node:stream/consumers";
import { z } from "zod";

// The streams work in microtasks; when the event loop comes round, everything that a chunk causes has happened.
const settled = () => new Promise(setImmediate);
const toolError = /^(AI_TypeValidationError|AI_JSONParseError)$/;

function errorOf(error) {
  const { name, message, chunkType, chunkId, parameter } = error;
  // The rest of these two quotes the schema library or the JSON parser.
  const said = toolError.test(name) ? { message: message.split("\nError message:")[0], truncated: true } : { message };
  return { name, ...said, chunkType, chunkId, parameter };
}

// --- bytes ---------------------------------------------------------------------------------------------------------

async function events(reads, schema) {
  const found = [];
  let streamError = null;
  try {
    const stream = parseJsonEventStream({ stream: ReadableStream.from(reads), schema: schema === "ui" ? uiMessageChunkSchema : z.any() });
    for await (const { success, value, error, rawValue } of stream)
      found.push(success ? { success, value } : { success, error: errorOf(error), rawValue });
  } catch (error) {
    streamError = errorOf(error);
  }
  return { events: found, streamError };
}

const sse = ({ chunks, schema = "any" }) => events(chunks.map((read) => Uint8Array.from(Buffer.from(read, "base64"))), schema);

// As a server writes it: a text with line ends takes several data lines.
const framed = (text) => new TextEncoder().encode(text.split(/\r\n|\r|\n/).map((line) => `data: ${line}\n`).join("") + "\n");

async function chunk_validation({ chunk, text = JSON.stringify(chunk) }) {
  const [event] = (await events([framed(text)], "ui")).events;
  if (event === undefined) return { accepted: false, ignored: true };
  return event.success ? { accepted: true, value: event.value } : { accepted: false, error: event.error };
}

// --- values --------------------------------------------------------------------------------------------------------

function specials(value, path = []) {
  if (typeof value === "number") {
    const is = Object.is(value, -0) ? "-0" : Number.isFinite(value) ? undefined : String(value);
    return is === undefined ? [] : [{ path, is }];
  }
  if (value === null || typeof value !== "object") return [];
  return Object.entries(value).flatMap(([key, member]) => specials(member, [...path, Array.isArray(value) ? Number(key) : key]));
}

async function partial_json({ text }) {
  const { value, state } = await parsePartialJson(text);
  const special = specials(value);
  return { state, value, ...(special.length ? { special } : {}) };
}

// --- messages ------------------------------------------------------------------------------------------------------

// Feeds one chunk at a time, so that each snapshot and error is known by the chunk that caused it.
async function read({ chunks, initialMessage, terminateOnError, validated }) {
  const seen = { snapshots: [], errors: [], thrown: null };
  let after = -1;
  let source, cancelled = false;
  let stream = new ReadableStream({ start: (controller) => { source = controller; }, cancel: () => { cancelled = true; } }, { highWaterMark: 0 });
  if (validated) {
    stream = parseJsonEventStream({ stream, schema: uiMessageChunkSchema }).pipeThrough(new TransformStream({
      transform(event, controller) {
        if (!event.success) throw event.error; // as the SDK's transports do
        controller.enqueue(event.value);
      },
    }));
  }
  // An error chunk is told as a plain Error and ends nothing.
  const ended = () => seen.errors.some(({ name }) => name !== "Error");
  const messages = readUIMessageStream({
    stream, terminateOnError,
    message: structuredClone(initialMessage),
    onError: (error) => seen.errors.push({ after, ...errorOf(error) }),
  });
  const reader = (async () => {
    try {
      for await (const message of messages) seen.snapshots.push({ after, message });
    } catch (error) {
      seen.thrown = { after, ...errorOf(error) };
    }
  })();
  await settled();
  let endedAt = null;
  for (const [index, chunk] of chunks.entries()) {
    after = index;
    source.enqueue(validated ? framed(JSON.stringify(chunk)) : chunk);
    await settled();
    await settled();
    if (cancelled || ended()) {
      endedAt = index;
      break;
    }
  }
  if (endedAt === null) source.close();
  await reader;
  return { ...seen, endedAt };
}

async function reduce(input) {
  const seen = await read(input);
  const done = input.chunks.slice(0, seen.endedAt ?? input.chunks.length);
  // A part that no case has shows what no snapshot shows yet, and is taken away again.
  const probe = { type: "data-probe", data: 0 };
  const { message } = (await read({ ...input, chunks: [...done, probe], terminateOnError: false })).snapshots.at(-1);
  return { ...seen, final: { ...message, parts: message.parts.slice(0, -1) }, error: seen.errors[0]?.message ?? null };
}

const predicates = ({ messages }) => ({
  toolCalls: lastAssistantMessageIsCompleteWithToolCalls({ messages }),
  approvalResponses: lastAssistantMessageIsCompleteWithApprovalResponses({ messages }),
});

const mapped = (object, change) => object && Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));

async function validate_messages({ messages, tools, dataSchemas, metadataSchema }) {
  const schema = (json) => json && z.fromJSONSchema(json);
  const { success, data, error } = await safeValidateUIMessages({
    messages,
    tools: mapped(tools, ({ inputSchema, outputSchema }) => ({ inputSchema: schema(inputSchema), outputSchema: schema(outputSchema) })),
    dataSchemas: mapped(dataSchemas, schema),
    metadataSchema: schema(metadataSchema),
  });
  if (success) return { success, data };
  const issues = error.cause?.issues?.map(({ path, message }) => ({ path, message })) ?? null;
  return { success, error: errorOf(error), issues };
}

const TOOLS = {
  plain: () => ({ inputSchema: z.any() }),
  toModelOutput: (name) => ({ inputSchema: z.any(), toModelOutput: ({ output }) => ({ type: "text", value: `${name}:${JSON.stringify(output)}` }) }),
};
const DATA_PARTS = { text: ({ type, data }) => ({ type: "text", text: `${type}=${JSON.stringify(data)}` }), none: () => undefined };

async function convert({ messages, options = {} }) {
  const { ignoreIncompleteToolCalls, tools, convertDataPart } = options;
  try {
    const modelMessages = await convertToModelMessages(messages, {
      ignoreIncompleteToolCalls,
      tools: mapped(tools, (kind, name) => TOOLS[kind](name)),
      convertDataPart: DATA_PARTS[convertDataPart],
    });
    return { modelMessages };
  } catch (error) {
    return { error: errorOf(error) };
  }
}

const KINDS = { reduce, sse, partial_json, chunk_validation, predicates, validate_messages, convert };
console.warn = () => {};
const { kind, inputs } = JSON.parse(await readAll(process.stdin));
const outcomes = [];
for (const input of inputs) outcomes.push(await KINDS[kind](input));
process.stdout.write(JSON.stringify(outcomes));
