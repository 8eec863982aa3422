// Random chunk sequences through readUIMessageStream of the installed `ai`, as cases of the form of reduce.jsonl.
// node tests/golden/reduce/record.mjs COUNT SEED [LENGTH] > cases.jsonl      (after `npm ci` in tests/interop)
// COUNT cases of at most LENGTH chunks, the dull ones left out: no error, no reset, no stored message, no malformed chunk.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const require = createRequire(new URL("../../interop/package.json", import.meta.url));
const { readUIMessageStream } = await import(pathToFileURL(require.resolve("ai")).href);

const [count, seed, longest] = [200, 1, 16].map((usual, place) => Number(process.argv[2 + place] ?? usual));
let state = seed >>> 0;
function random() { // mulberry32
  state = (state + 0x6d2b79f5) >>> 0;
  let t = state;
  t = Math.imul(t ^ (t >>> 15), t | 1);
  t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
}
const pick = (list) => list[Math.floor(random() * list.length)];
const chance = (p) => random() < p;
const some = (fields, p = 0.3) => Object.fromEntries(Object.entries(fields).filter(() => chance(p)));

const IDS = ["a", "b", "__proto__", "constructor", "toString", ""];
const CALLS = ["c", "d", "__proto__", "1"];
const TOOLS = ["w", "get-time", "", "x"];
const APPROVALS = ["p", "q", "__proto__"];
const DATA = ["data-x", "data-y", "data-"];
const TEXTS = ["Hi", "", "杭州", "a\ud83d", "\ude00b", "\ud83d", "😀", "\n"];
const INPUTS = ['{"a":', "1", ',"b":[', '"x', '杭"', "]}", "{", "}", "tr", "ue", "\\u00", "e9", "1e+5", "-", " ", "!", '{"__proto__":1', "", "\ud83d", "\ude00",
  '"k\\":v":1', '{"constructor":{"prototype":', "[[1],{"];
const VALUES = [null, 0, 1, -0.5, 1e21, true, "s", "", [], [1, [2]], {}, { a: { b: 1 } }, { a: [1] }, { 10: 1, 9: 2, z: 3 }];
const META = [{}, { p: {} }, { p: { k: 1 } }, { q: { k: [null] } }];
const ODD = [null, 0, 5, 1e21, -1.5, true, false, "", "s", [], [1, null, ["x"]], {}, { a: 1 }, { toString: 1 }, { valueOf: 1 }];
const METADATA = [{ a: 1 }, { a: { b: 1 } }, { a: { c: [2] }, d: null }, { a: null }, {}, { constructor: { x: 1 }, prototype: 2, e: 1 },
  JSON.parse('{"__proto__":{"x":1},"f":{"__proto__":2,"g":1}}'), JSON.parse('{"f":{"h":{"__proto__":1}}}'), null];

const provider = (p = 0.25) => some({ providerMetadata: pick(META) }, p);
const call = () => ({ toolCallId: pick(CALLS) });
const tool = () => ({ toolName: pick(TOOLS) });
const labels = () => ({ ...some({ providerExecuted: chance(0.6) }), ...provider(), ...some({ toolMetadata: pick([{}, { m: 1 }]) }) });
const dynamic = () => some({ dynamic: chance(0.7) }, 0.4);
const KINDS = {
  start: () => ({ ...some({ messageId: pick(["m", "m", "n", ""]) }, 0.5), ...some({ messageMetadata: pick(METADATA) }) }),
  finish: () => ({ ...some({ finishReason: pick(["stop", "tool-calls"]) }, 0.7), ...some({ messageMetadata: pick(METADATA) }) }),
  "message-metadata": () => ({ messageMetadata: pick(METADATA) }),
  abort: () => some({ reason: "r" }),
  error: () => ({ errorText: pick(["bad", ""]) }),
  "start-step": () => ({}),
  "finish-step": () => ({}),
  "reset-step": () => ({}),
  "text-start": () => ({ id: pick(IDS), ...provider() }),
  "text-delta": () => ({ id: pick(IDS), delta: pick(TEXTS), ...provider(0.1) }),
  "text-end": () => ({ id: pick(IDS), ...provider(), ...some({ citations: pick([[], [{ source: { type: "source", sourceType: "url", id: "1", url: "u" } }]]) }) }),
  "reasoning-start": () => ({ id: pick(IDS), ...provider() }),
  "reasoning-delta": () => ({ id: pick(IDS), delta: pick(TEXTS), ...provider(0.1) }),
  "reasoning-end": () => ({ id: pick(IDS), ...provider(), ...some({ citations: [] }, 0.2) }),
  file: () => ({ mediaType: "text/plain", url: "data:,x", ...provider(), ...some({ filename: "f" }) }),
  "reasoning-file": () => ({ url: "data:,x", mediaType: "text/plain", ...provider() }),
  custom: () => ({ kind: "p.t", ...provider() }),
  "source-url": () => ({ url: "u", sourceId: "s", ...some({ title: "T" }), ...provider() }),
  "source-document": () => ({ sourceId: "s", mediaType: "m", title: "T", ...some({ filename: "f" }), ...provider() }),
  "steering-message": () => ({ id: "s", parts: pick([[], [{ type: "text", text: "t", x: 1 }]]) }),
  "tool-input-start": () => ({ ...call(), ...tool(), ...some({ inputEncoding: pick(["text", "json"]) }), ...labels(), ...dynamic(), ...some({ title: pick(["T", "U"]) }) }),
  "tool-input-delta": () => ({ ...call(), inputTextDelta: pick(INPUTS) }),
  "tool-input-available": () => ({ ...call(), ...tool(), input: pick(VALUES), ...labels(), ...dynamic(), ...some({ title: "V" }) }),
  "tool-input-error": () => ({ ...call(), ...tool(), input: pick(VALUES), errorText: "bad input", ...labels(), ...dynamic(), ...some({ title: "W" }) }),
  "tool-approval-request": () => ({ ...call(), approvalId: pick(APPROVALS), ...some({ approvalDescriptor: pick(VALUES), inputSchemaInput: pick(VALUES), reason: "why", isAutomatic: chance(0.5), signature: "sig" }) }),
  "tool-approval-response": () => ({ approvalId: pick(APPROVALS), approved: chance(0.6), ...some({ reason: "ok", providerExecuted: chance(0.5) }), ...provider() }),
  "tool-output-available": () => ({ ...call(), output: pick(VALUES), ...labels(), ...some({ preliminary: chance(0.7) }), ...dynamic() }),
  "tool-output-error": () => ({ ...call(), errorText: "bad output", ...labels(), ...dynamic() }),
  "tool-output-denied": () => call(),
  data: () => ({ data: pick(VALUES), ...some({ id: pick(["1", "2", "__proto__"]) }, 0.7), ...some({ transient: chance(0.3) }, 0.2), ...some({ extra: 1 }, 0.1) }),
  "no-such-type": () => ({ x: 1 }),
};
const chunkOf = (kind) => ({ type: kind === "data" ? pick(DATA) : kind, ...KINDS[kind]() });

// What keeps a sequence alive: mostly chunks that find what they name.
function sequence(length) {
  const [chunks, texts, reasonings, started, calls, approvals] = [[], new Set(), new Set(), new Set(), new Set(), new Set()];
  while (chunks.length < length) {
    const kind = pick(Object.keys(KINDS).concat(["text-delta", "tool-input-delta", "tool-input-delta", "tool-input-delta", "tool-input-start", "start-step"]));
    const chunk = chunkOf(kind);
    const goes = chance(0.02)
      || !( (/^text-(delta|end)$/.test(kind) && !texts.has(chunk.id)) || (/^reasoning-(delta|end)$/.test(kind) && !reasonings.has(chunk.id))
        || (kind === "tool-input-delta" && !started.has(chunk.toolCallId)) || (/^tool-(output|approval-request)/.test(kind) && !calls.has(chunk.toolCallId)) || (kind === "tool-approval-response" && !approvals.has(chunk.approvalId)) );
    if (!goes) continue;
    if (kind === "text-start") texts.add(chunk.id);
    if (kind === "reasoning-start") reasonings.add(chunk.id);
    if (kind === "text-end" && chance(0.9)) texts.delete(chunk.id);
    if (kind === "reasoning-end" && chance(0.9)) reasonings.delete(chunk.id);
    if (kind === "tool-input-start") started.add(chunk.toolCallId);
    if (kind === "tool-input-start" || kind === "tool-input-available" || kind === "tool-input-error") calls.add(chunk.toolCallId);
    if (kind === "tool-approval-request") approvals.add(chunk.approvalId);
    if (kind === "reset-step" && chance(0.7)) for (const set of [texts, reasonings, started]) set.clear();
    chunks.push(chunk);
  }
  return chunks;
}

// A chunk that the schema would refuse: a field taken away or given another value.
function spoiled(chunk) {
  const keys = Object.keys(chunk).concat(["providerMetadata", "dynamic", "title", "toolMetadata", "id", "transient", "preliminary", "messageMetadata", "messageId", "reason"]);
  const key = pick(chance(0.85) ? keys.filter((name) => name !== "type") : keys);
  const copy = { ...chunk };
  if (chance(0.4)) delete copy[key];
  else copy[key] = pick(ODD);
  return copy;
}

function stored() {
  const name = pick(TOOLS);
  const toolPart = () => ({
    ...(chance(0.6) ? { type: `tool-${name}` } : { type: "dynamic-tool", toolName: name }), ...call(),
    state: pick(["input-streaming", "input-streaming", "input-available", "approval-requested", "output-available", "output-error"]),
    ...some({ input: pick(VALUES), rawInput: pick(INPUTS), inputEncoding: pick(["text", "json"]), title: "old", toolMetadata: { o: 1 }, providerExecuted: true, callProviderMetadata: { p: {} } }, 0.4),
    ...some({ approval: { id: pick(APPROVALS) } }), ...some({ output: 1, errorText: "e" }, 0.2),
  });
  const makers = [toolPart, toolPart, () => ({ type: "step-start" }), () => ({ type: "text", text: "old", state: "streaming" }), () => ({ type: pick(DATA), id: "1", data: 0 })];
  const parts = Array.from({ length: Math.floor(random() * 6) }, () => pick(makers)());
  const message = { id: pick(["m", "n"]), role: pick(["assistant", "assistant", "assistant", "user"]), parts };
  if (chance(0.3)) message.metadata = pick(METADATA);
  return message;
}

const settled = async () => { for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve)); };
const told = (error) => ({
  name: error.name, message: error.message,
  ...(error.chunkType === undefined ? {} : { chunkType: error.chunkType }), ...(error.chunkId === undefined ? {} : { chunkId: error.chunkId }),
});

async function observe(input, chunks) {
  let after = null, source, thrown = null, endedAt = null;
  const [snapshots, errors] = [[], []];
  const stream = new ReadableStream({ start(controller) { source = controller; } });
  const states = readUIMessageStream({
    stream, message: input.initialMessage === undefined ? undefined : structuredClone(input.initialMessage),
    terminateOnError: input.terminateOnError ?? false,
    onError(error) {
      errors.push({ after, ...told(error) });
      if (after !== null && endedAt === null && !(chunks[after]?.type === "error" && error.name === "Error")) endedAt = after;
    },
  });
  const reading = (async () => {
    try { for await (const message of states) snapshots.push({ after, message: JSON.parse(JSON.stringify(message)) }); } catch (error) { thrown = { after, ...told(error) }; }
  })();
  for (let index = 0; index < chunks.length && endedAt === null; index++) {
    after = index;
    source.enqueue(structuredClone(chunks[index]));
    await settled();
  }
  try { source.close(); } catch { /* it has failed */ }
  await settled();
  await reading;
  return { snapshots, errors, thrown, endedAt };
}

async function record(input) {
  const { snapshots, errors, thrown, endedAt } = await observe(input, input.chunks);
  const done = endedAt === null ? input.chunks : input.chunks.slice(0, endedAt);
  // What no snapshot shows yet is seen by one more chunk, whose part is taken away again.
  const probe = (await observe({ ...input, terminateOnError: false }, [...done, { type: "data-probe", data: 0 }])).snapshots.at(-1);
  const final = probe ? { ...probe.message, parts: probe.message.parts.slice(0, -1) } : null;
  return { snapshots, final, error: errors[0]?.message ?? null, errors, thrown, endedAt };
}

const isDull = (input, expect) => expect.errors.length === 0 && input.initialMessage === undefined && !input.chunks.some((chunk) => chunk?.type === "reset-step");

for (let number = 0, printed = 0; printed < count; number++) {
  const kind = pick(["ordered", "ordered", "stored", "malformed", "terminating"]);
  const input = { chunks: sequence(4 + Math.floor(random() * (longest - 3))) };
  if (kind === "stored" || chance(0.1)) input.initialMessage = stored();
  if (kind === "terminating") input.terminateOnError = true;
  if (kind === "malformed") input.chunks = input.chunks.map((chunk) => (chance(0.2) ? spoiled(chunk) : chunk)).map((chunk) => (chance(0.01) ? pick(ODD) : chunk));
  const text = JSON.stringify(input);
  const expect = await record(JSON.parse(text));
  if (kind !== "malformed" && isDull(input, expect)) continue;
  const tags = kind === "malformed" ? { tags: ["malformed"] } : {};
  process.stdout.write(JSON.stringify({ name: `${kind}/${seed}-${number}`, ...tags, input, expect }) + "\n");
  printed += 1;
}
