import { expect, it } from "vitest";
import { readEvents } from "../src/sse";

async function read(...segments: Uint8Array[]): Promise<{ data: string[]; heard: number }> {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const segment of segments) controller.enqueue(segment);
      controller.close();
    },
  });
  const data: string[] = [];
  let heard = 0;
  for await (const event of readEvents(body, () => heard++)) data.push(event);
  return { data, heard };
}

const STREAM = new TextEncoder().encode(': keep-alive\n\ndata: {"a":"你好 🌤️"}\n\ndata: one\r\ndata: two\r\n\r\nevent: x\nid: 7\ndata:tight\n\ndata: unfinished');

it("gives the data of each event, whatever the line ends, and no unfinished one", async () => {
  expect((await read(STREAM)).data).toEqual(['{"a":"你好 🌤️"}', "one\ntwo", "tight"]);
});

it("gives the same for every cut of the bytes", async () => {
  for (let cut = 1; cut < STREAM.length; cut++) {
    const { data } = await read(STREAM.slice(0, cut), STREAM.slice(cut));
    expect(data, `cut at ${cut}`).toEqual(['{"a":"你好 🌤️"}', "one\ntwo", "tight"]);
  }
});

it("a comment alone counts as a sign of life", async () => {
  expect(await read(new TextEncoder().encode(": still here\n\n"))).toEqual({ data: [], heard: 1 });
});
