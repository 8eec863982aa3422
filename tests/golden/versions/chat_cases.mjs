// What only a whole chat shows: when the status changes, what a resumed stream does to the message that is there.

const text = (id, words) => [{ type: 'text-start', id }, { type: 'text-delta', id, delta: words }, { type: 'text-end', id }];
const start = { type: 'start', messageId: 'm' };
const shown = [
  { id: 'u', role: 'user', parts: [{ type: 'text', text: 'hi' }] },
  { id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'one', state: 'done' }] },
];

export const chatCases = () => [
  { name: 'status-at-start', act: 'send', messages: [], chunks: [start, { type: 'start-step' }, ...text('t', 'x'), { type: 'finish' }] },
  { name: 'resume-replays', act: 'resume', messages: shown, chunks: [start, ...text('t', 'one'), ...text('u', 'two'), { type: 'finish' }] },
  { name: 'resume-with-other-id', act: 'resume', messages: shown, chunks: [{ type: 'start', messageId: 'n' }, ...text('t', 'two'), { type: 'finish' }] },
];

/** Plays one case with a version's own `AbstractChat`; the log holds the statuses between the chunks of an answer (a resumed one races with its request). */
export async function chatted(ai, { act, messages, chunks }) {
  const log = [];
  const note = what => { if (log.at(-1) !== what) log.push(what); };
  class State {
    messages = structuredClone(messages);
    error = undefined;
    #status = 'ready';
    get status() { return this.#status; }
    set status(value) { this.#status = value; note(value); }
    pushMessage = message => { this.messages = [...this.messages, message]; };
    popMessage = () => { this.messages = this.messages.slice(0, -1); };
    replaceMessage = (index, message) => { this.messages = this.messages.with(index, structuredClone(message)); };
    snapshot = value => structuredClone(value);
  }
  class Chat extends ai.AbstractChat {
    constructor(options) { super({ ...options, state: new State() }); }
  }
  const body = () =>
    new ReadableStream({
      async start(controller) {
        for (const chunk of chunks) {
          note(`> ${chunk.type}`);
          controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(chunk)}\n\n`));
          await new Promise(resolve => setTimeout(resolve, 2));
        }
        controller.close();
      },
    });
  const transport = new ai.DefaultChatTransport({ api: 'http://localhost/', fetch: async () => new Response(body(), { status: 200 }) });
  const chat = new Chat({ id: 'c', transport, generateId: () => 'g', onError: () => {} });
  chat.messages = structuredClone(messages);
  await (act === 'send' ? chat.sendMessage({ text: 'hi' }) : chat.resumeStream());
  return { ...(act === 'send' && { log }), messages: chat.messages.slice(1).map(({ id, parts }) => ({ id, parts })), error: chat.error?.message ?? null };
}
