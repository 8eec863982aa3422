// An agent of the official SDK with a scripted model, served on loopback for one recording.
//
// Made aisdk_lab/samples/weather.capture.jsonl. Needs Node 24 and, in the folder of this file or above it,
// `npm install ai@7.0.173 zod@4.6.7`; copy the file into a scratch folder rather than installing here. Then:
//
//     node record_weather.mjs          prints {"url": …} and serves until it is killed
//     lab.record(url, json={"id": "weather", "messages": [...], "trigger": "submit-message"}, save=…)
//
// One recording a start: the script of the model is played once. The delays are those of a quick model; the tool takes 412 ms. Nothing here calls a network but 127.0.0.1.

import { createServer } from "node:http";
import { ToolLoopAgent, pipeAgentUIStreamToResponse, tool } from "ai";
import { MockLanguageModelV4 } from "ai/test";
import { z } from "zod";

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const usage = {
  inputTokens: { total: 24, noCache: 24, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 48, text: 40, reasoning: 8 },
};

const pieces = (type, id, texts) => [
  { type: `${type}-start`, id },
  ...texts.flatMap((delta) => [{ delay: 24 }, { type: `${type}-delta`, id, delta }]),
  { type: `${type}-end`, id },
];

const calls = [
  [
    { delay: 180 },
    ...pieces("reasoning", "r1", ["用户问杭州的天气。", "我没有实时数据，", "要先查一下。"]),
    ...pieces("text", "t1", ["让我看看", "杭州现在的", "天气 🌤️"]),
    { type: "tool-input-start", id: "call-1", toolName: "get_weather" },
    ...['{"city":', '"杭州",', '"unit":"celsius"}'].flatMap((delta) => [
      { delay: 18 },
      { type: "tool-input-delta", id: "call-1", delta },
    ]),
    { type: "tool-input-end", id: "call-1" },
    { type: "tool-call", toolCallId: "call-1", toolName: "get_weather", input: '{"city":"杭州","unit":"celsius"}' },
    { type: "finish", finishReason: { unified: "tool-calls", raw: "tool-calls" }, usage },
  ],
  [
    { delay: 120 },
    ...pieces("text", "t2", ["杭州现在 25°C，", "晴 ☀️，", "湿度 48%。", "出门记得", "带上太阳镜 😎", "，西湖边", "风很舒服。"]),
    { type: "finish", finishReason: { unified: "stop", raw: "stop" }, usage },
  ],
];

let call = 0;
const model = new MockLanguageModelV4({
  doStream: async () => {
    const script = calls[Math.min(call++, calls.length - 1)];
    return {
      stream: new ReadableStream({
        async start(controller) {
          controller.enqueue({ type: "stream-start", warnings: [] });
          for (const part of script) {
            if ("delay" in part) await wait(part.delay);
            else controller.enqueue(part);
          }
          controller.close();
        },
      }),
    };
  },
});

const agent = new ToolLoopAgent({
  model,
  tools: {
    get_weather: tool({
      description: "The weather of a city, now",
      title: "查天气",
      inputSchema: z.object({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]) }),
      execute: async ({ city }) => {
        await wait(412);
        return { city, celsius: 25, sky: "晴", humidity: 0.48 };
      },
    }),
  },
});

const server = createServer(async (request, response) => {
  let body = "";
  for await (const piece of request) body += piece;
  await pipeAgentUIStreamToResponse({ response, agent, uiMessages: JSON.parse(body).messages });
});

server.listen(0, "127.0.0.1", () => {
  console.log(JSON.stringify({ url: `http://127.0.0.1:${server.address().port}/api/chat` }));
});
