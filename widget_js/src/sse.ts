/**
 * The relay's event stream, read to the `data` of each event.
 *
 * Stage: bytes → text, for the relay carrier only. `fetch` instead of `EventSource`, because the latter hides the HTTP
 * status and reconnects on its own with a number that only we know.
 * Source: WHATWG HTML 9.2.6. Left out on purpose: `event`, `id` and `retry`, which the relay does not send.
 */

/** Gives the data of each event; `heard` is called for every read, also one that holds only a keep-alive comment. */
export async function* readEvents(body: ReadableStream<Uint8Array>, heard: () => void): AsyncGenerator<string> {
  const reader = body.pipeThrough(new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>).getReader();
  let rest = "";
  let data: string[] = [];
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      heard();
      rest += value;
      const lines = rest.split(/\r\n|\n|\r(?!$)/);
      rest = lines.pop()!;
      for (const line of lines) {
        if (line === "") {
          if (data.length) yield data.join("\n");
          data = [];
        } else if (line.startsWith("data:")) {
          data.push(line.slice(line[5] === " " ? 6 : 5));
        }
      }
    }
  } finally {
    await reader.cancel().catch(() => undefined); // already broken off: nothing left to cancel
  }
}
