// Records what published versions of `ai` say, in four files beside this one; see PROVENANCE.md for how to run it.
//
//   node record.mjs FOLDER      FOLDER/<version>/node_modules/ai holds one installed version each
//
// Only the public surface is asked: a chunk goes as SSE bytes through `DefaultChatTransport` (every version has it),
// a sequence of chunks through `readUIMessageStream` and `AbstractChat`, a list of messages through the two resend predicates.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { chatCases, chatted } from './chat_cases.mjs';
import { chunkCases } from './chunk_cases.mjs';
import { messageCases } from './message_cases.mjs';
import { sequenceCases } from './sequence_cases.mjs';

const folder = process.argv[2];
const here = dirname(fileURLToPath(import.meta.url));
const byNumber = (a, b) => {
  const [x, y] = [a, b].map(version => version.split('.').map(Number));
  return x[0] - y[0] || x[1] - y[1] || x[2] - y[2];
};
const versions = readdirSync(folder).filter(name => /^\d+\.\d+\.\d+$/.test(name)).sort(byNumber);

async function load(version) {
  const home = join(folder, version, 'node_modules', 'ai');
  const manifest = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8'));
  if (manifest.version !== version) throw new Error(`${home} holds ai ${manifest.version}`);
  const entry = manifest.exports['.'];
  return import(pathToFileURL(join(home, entry.import?.default ?? entry.import ?? entry.default)).href);
}

const quiet = { warn: console.warn, error: console.error };
console.warn = console.error = () => {};
globalThis.AI_SDK_LOG_WARNINGS = false;

/** What one version makes of one chunk: `k` accepted and kept, `s` accepted with something taken out, `r` refused. */
async function verdict(ai, chunk) {
  const text = `data: ${JSON.stringify(chunk)}\n\n`;
  const transport = new ai.DefaultChatTransport({
    api: 'http://localhost/',
    fetch: async () => new Response(text, { status: 200, headers: { 'content-type': 'text/event-stream' } }),
  });
  try {
    const stream = await transport.sendMessages({ trigger: 'submit-message', chatId: 'c', messageId: undefined, messages: [], abortSignal: undefined });
    const { value, done } = await stream.getReader().read();
    if (done) return 'n';
    return JSON.stringify(sorted(value)) === JSON.stringify(sorted(chunk)) ? 'k' : 's';
  } catch {
    return 'r';
  }
}

const sorted = value =>
  Array.isArray(value) ? value.map(sorted)
  : value && typeof value === 'object' ? Object.fromEntries(Object.keys(value).sort().map(key => [key, sorted(value[key])]))
  : value;

/** The message that a version shows after a sequence of chunks, and the error that stopped it. */
async function played(ai, { chunks, message }) {
  let error = null;
  let shown = message ?? null;
  const stream = new ReadableStream({
    start(controller) {
      for (const chunk of structuredClone(chunks)) controller.enqueue(chunk);
      controller.close();
    },
  });
  const options = { stream, message: structuredClone(message), onError: caught => { error ??= String(caught?.message ?? caught); } };
  try {
    for await (const snapshot of ai.readUIMessageStream(options)) shown = snapshot;
  } catch (caught) {
    error ??= String(caught?.message ?? caught);
  }
  return { message: JSON.parse(JSON.stringify(shown)), error };
}

const ask = (predicate, messages) => {
  if (predicate === undefined) return '-';
  try {
    return predicate({ messages: structuredClone(messages) }) ? 'y' : 'n';
  } catch {
    return '!';
  }
};

/** Puts an outcome beside the version that had it; versions in a row with the same outcome share a place. */
function note(ends, version, end) {
  const last = ends.at(-1);
  if (last && JSON.stringify(last.end) === JSON.stringify(end)) last.versions.push(version);
  else ends.push({ versions: [version], end });
}

const chunks = chunkCases(), lists = messageCases(), sequences = sequenceCases(), chats = chatCases();
const verdicts = chunks.map(() => ''), calls = lists.map(() => ['', '']), ends = sequences.map(() => []), chatEnds = chats.map(() => []);
for (const version of versions) {
  const ai = await load(version);
  for (const [index, { chunk }] of chunks.entries()) verdicts[index] += await verdict(ai, chunk);
  for (const [index, { messages }] of lists.entries()) {
    calls[index][0] += ask(ai.lastAssistantMessageIsCompleteWithToolCalls, messages);
    calls[index][1] += ask(ai.lastAssistantMessageIsCompleteWithApprovalResponses, messages);
  }
  for (const [index, sequence] of sequences.entries()) note(ends[index], version, await played(ai, sequence));
  for (const [index, chat] of chats.entries()) note(chatEnds[index], version, await chatted(ai, chat));
  process.stderr.write(`${version}\n`);
}
const write = (name, rows) =>
  writeFileSync(join(here, name), [{ versions }, ...rows].map(row => JSON.stringify(row)).join('\n') + '\n');
// A field of another type that is treated as the unknown key of its type is says nothing new: two thousand lines less.
const asUnknown = new Map(chunks.map(({ name }, index) => [name, verdicts[index]]));
const says = ({ name }, index) => !name.includes('/foreign-') || verdicts[index] !== asUnknown.get(`${name.split('/')[0]}/unknown-key`);
write('chunk_verdicts.jsonl', chunks.map((row, index) => ({ ...row, verdicts: verdicts[index] })).filter(says));
write('predicate_verdicts.jsonl', lists.map((row, index) => ({ ...row, toolCalls: calls[index][0], approvalResponses: calls[index][1] })));
write('chat_ends.jsonl', chats.map((row, index) => ({ ...row, ends: chatEnds[index] })));
write('sequence_ends.jsonl', sequences.map((row, index) => ({ ...row, ends: ends[index] })));
Object.assign(console, quiet);
