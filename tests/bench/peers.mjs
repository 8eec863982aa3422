// The peer in Node: the real `ai`. `node --expose-gc peers.mjs WORK FILE [ARGUMENT]` answers with JSON.
// Only the work is timed; the answer has the same keys as in clock.py and ours.py.
import { createHash } from "node:crypto";
import { readFileSync, writeFileSync } from "node:fs";
import { performance } from "node:perf_hooks";
import { AbstractChat, DefaultChatTransport, parseJsonEventStream, parsePartialJson, readUIMessageStream, uiMessageChunkSchema } from "../interop/node_modules/ai/dist/index.js";

const SLICES = 20;
const DELTA_CHARS = 12;

function streamFile(path) {
  const [header, ...lines] = readFileSync(path, "utf8").split("\n");
  return { ...JSON.parse(header), chunks: lines.map((line) => JSON.parse(line)) };
}

function segmentsOf(path, size) {
  const body = readFileSync(path.replace(/\.jsonl$/, ".sse"));
  const segments = [];
  for (let place = 0; place < body.length; place += size) segments.push(new Uint8Array(body.subarray(place, place + size)));
  return segments;
}

/** What the network does: the next piece when it is asked for. */
function pulled(items) {
  let place = 0;
  return new ReadableStream({
    pull(controller) {
      if (place < items.length) controller.enqueue(items[place++]);
      else controller.close();
    },
  });
}

function sorted(value) {
  if (Array.isArray(value)) return value.map(sorted);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(Object.keys(value).sort().map((key) => [key, sorted(value[key])]));
}

function digest(values) {
  const hash = createHash("sha256");
  for (const value of values) hash.update(JSON.stringify(sorted(value)) + "\n");
  return hash.digest("hex").slice(0, 16);
}

function forgetHighWater() {
  globalThis.gc();
  writeFileSync("/proc/self/clear_refs", "5");
}

const memoryBytes = (field) => 1024 * Number(readFileSync("/proc/self/status", "utf8").match(new RegExp(`^${field}:\\s+(\\d+) kB`, "m"))[1]);

async function timed(work) {
  forgetHighWater();
  const before = memoryBytes("VmHWM");
  const started = performance.now();
  const result = await work();
  const seconds = (performance.now() - started) / 1000;
  return { seconds, peak_bytes: memoryBytes("VmHWM") - before, result };
}

/** As `DefaultChatTransport` reads a response, less the step that unwraps each result. */
async function decode(path, size) {
  const segments = segmentsOf(path, Number(size));
  const work = async (take) => {
    for await (const parsed of parseJsonEventStream({ stream: pulled(segments), schema: uiMessageChunkSchema })) {
      if (!parsed.success) throw parsed.error;
      take(parsed.value);
    }
  };
  const { seconds } = await timed(() => work(() => {}));
  const chunks = [];
  await work((chunk) => chunks.push(chunk));
  return { seconds, check: { chunks: digest(chunks) } };
}

/** Every message is taken and dropped, but for the samples. */
async function reader(path) {
  const { chunks, messages, samples } = streamFile(path);
  const { seconds, peak_bytes, result } = await timed(async () => {
    const sampled = [];
    let count = 0;
    for await (const message of readUIMessageStream({ stream: pulled(chunks), terminateOnError: true })) {
      if (count++ === samples[sampled.length]) sampled.push(message);
    }
    if (count !== messages) throw new Error(`${count} messages instead of ${messages}`);
    return sampled;
  });
  return { seconds, peak_bytes, check: { samples: digest(result), last: digest(result.slice(-1)) } };
}

/** The cheapest store that gives a page a new object to render: less work than that of `useChat`. */
class State {
  status = "ready";
  error = undefined;
  messages = [];
  pushMessage = (message) => {
    this.messages = [...this.messages, message];
  };
  popMessage = () => {
    this.messages = this.messages.slice(0, -1);
  };
  replaceMessage = (index, message) => {
    this.messages = this.messages.with(index, { ...message });
  };
  snapshot = structuredClone;
}

class Chat extends AbstractChat {
  constructor(transport) {
    super({ transport, state: new State() });
  }
}

async function sent(transport) {
  const chat = new Chat(transport);
  const { seconds, peak_bytes } = await timed(() => chat.sendMessage({ text: "go" }));
  if (chat.status !== "ready") throw chat.error;
  return { seconds, peak_bytes, check: { last: digest([chat.lastMessage]) } };
}

function chat(path) {
  const { chunks } = streamFile(path);
  return sent({ sendMessages: async () => pulled(chunks) });
}

/** Bytes to messages: the transport's parser and the chat. */
function replay(path, size) {
  const segments = segmentsOf(path, Number(size));
  const headers = { "content-type": "text/event-stream" };
  return sent(new DefaultChatTransport({ fetch: async () => new Response(pulled(segments), { headers }) }));
}

async function partial(path) {
  const text = readFileSync(path, "utf8");
  const count = Math.ceil(text.length / DELTA_CHARS);
  const ends = Array.from({ length: SLICES }, (_, turn) => Math.floor((count * (turn + 1)) / SLICES));
  const sampled = [];
  let seconds = 0;
  let began = 0;
  for (const end of ends) {
    const started = performance.now();
    let value;
    for (let place = began + 1; place <= end; place++) ({ value } = await parsePartialJson(text.slice(0, place * DELTA_CHARS)));
    seconds += (performance.now() - started) / 1000;
    began = end;
    sampled.push(digest([value]));
  }
  return { seconds, check: { samples: digest(sampled) } };
}

const WORKS = { decode, reader, chat, replay, partial };
const [work, path, ...rest] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await WORKS[work](path, ...rest)));
