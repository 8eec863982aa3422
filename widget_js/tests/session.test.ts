import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { POST_MS, SILENCE_MS } from "../src/carrier";
import type { ActionMessage, Document } from "../src/document";
import { completeDocument } from "../src/document";
import { PATIENCE_MS, Session, UNANSWERED_MS, UNLOCK_MS } from "../src/session";
import { PLACES } from "../src/places";
import { FakeModel } from "./page";

const DOCUMENT: Partial<Document> = { title: "T", messages: [{ id: "a", role: "assistant", parts: [{ type: "text", text: "" }] }] };
const TEXT = ["messages", 0, "parts", 0, "text"];

function textOf(session: Session): unknown {
  return session.document.messages[0]!.parts[0]!;
}

function start(model: FakeModel, { views = 1 } = {}): Session {
  const session = new Session(model);
  session.start();
  for (let n = 0; n < views; n++) session.attach();
  return session;
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
  document.getElementById("jupyter-config-data")?.remove();
});

describe("by comm", () => {
  it("asks for a snapshot at the start and follows the batches", () => {
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    expect(model.sent).toEqual([{ type: "sync", from: 0 }]);
    model.push(["append", TEXT, "你"]);
    model.push(["append", TEXT, "好"]);
    expect(textOf(session)).toEqual({ type: "text", text: "你好" });
    expect(session.connection).toBe("live");
    session.close();
  });

  it("asks once from the last number that it has when a batch is missing, and goes on when the missing one comes", () => {
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    model.push(["append", TEXT, "a"]);
    model.document = undefined; // this kernel answers a sync with batches, not with a snapshot
    model.say({ type: "batch", seq: 4, ops: [["append", TEXT, "c"]] });
    model.say({ type: "batch", seq: 5, ops: [["append", TEXT, "d"]] });
    expect(textOf(session)).toEqual({ type: "text", text: "a" });
    expect(model.sent.slice(1)).toEqual([{ type: "sync", from: 2 }]);
    for (const [seq, letter] of [[3, "b"], [4, "c"], [5, "d"]] as const) model.say({ type: "batch", seq, ops: [["append", TEXT, letter]] }); // prettier-ignore
    expect(textOf(session)).toEqual({ type: "text", text: "abcd" });
    session.close();
  });

  it("asks again, with growing pauses, until something that fits arrives", () => {
    const model = new FakeModel();
    const session = start(model);
    vi.advanceTimersByTime(16_000);
    expect(model.sent).toEqual(Array.from({ length: 5 }, () => ({ type: "sync", from: 0 })));
    session.close();
  });

  it("ignores a batch that it has already", () => {
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    model.push(["append", TEXT, "a"]);
    model.say({ type: "batch", seq: 2, ops: [["append", TEXT, "a"]] });
    expect(textOf(session)).toEqual({ type: "text", text: "a" });
    session.close();
  });

  it("asks for a snapshot when a batch names a path that is not there", () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    model.document = completeDocument({ ...DOCUMENT, title: "Mended" });
    model.seq = 1;
    model.push(["append", ["messages", 9, "parts", 0, "text"], "x"]);
    expect(model.sent.at(-1)).toEqual({ type: "sync", from: 0 });
    expect(session.document.title).toBe("Mended");
    session.close();
  });

  it("shows the stored snapshot when no kernel answers, and the living document as soon as one does", () => {
    const model = new FakeModel(undefined, { snapshot: JSON.stringify({ title: "Stored" }) });
    const session = start(model);
    expect(session.connection).toBe("loading");
    vi.advanceTimersByTime(PATIENCE_MS);
    expect([session.connection, session.document.title]).toEqual(["slow", "Stored"]);
    model.say({ type: "snapshot", seq: 1, document: { title: "Living" } });
    expect([session.connection, session.document.title]).toEqual(["live", "Living"]);
    session.close();
  });

  it("a snapshot that is not JSON is an empty document, not an error", () => {
    vi.spyOn(console, "warn").mockImplementation(() => undefined);
    const session = start(new FakeModel(undefined, { snapshot: "{cut of" }));
    vi.advanceTimersByTime(PATIENCE_MS);
    expect(session.document).toEqual(completeDocument({}));
    session.close();
  });

  it("calls the kernel gone when its comm died and nothing answers, and keeps what was seen", () => {
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    model.push(["append", TEXT, "seen"]);
    model.document = undefined;
    model.emit("comm_live_update");
    expect(session.connection).toBe("live");
    vi.advanceTimersByTime(UNANSWERED_MS);
    expect(session.connection).toBe("gone");
    expect(textOf(session)).toEqual({ type: "text", text: "seen" });
    session.close();
  });

  it("closing leaves no listener and no timer", () => {
    const model = new FakeModel();
    const session = start(model);
    session.close();
    expect([model.listeners, vi.getTimerCount()]).toEqual([0, 0]);
  });
});

describe("actions", () => {
  it("each action is one message with an id of its own", async () => {
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    await session.act({ action: "send", text: "hi" });
    await session.act({ action: "stop" });
    const [send, stop] = model.sent.slice(1) as ActionMessage[];
    expect(send).toEqual({ type: "action", actionId: send!.actionId, action: "send", text: "hi" });
    expect(send!.actionId).toMatch(/^[0-9a-f]{32}$/);
    expect(stop!.actionId).not.toBe(send!.actionId);
    session.close();
  });

  it("a call is decided once: the second click says nothing", async () => {
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    const allow = { action: "approve", approvalId: "p", toolCallId: "c", approved: true } as const;
    await Promise.all([session.decide("p", allow), session.decide("p", { ...allow, approved: false })]);
    expect(model.actions).toEqual([allow]);
    session.close();
  });

  it("an answer is sending, then waits for the running cell, and is unlocked some time after the kernel spoke", async () => {
    const model = new FakeModel(DOCUMENT);
    const session = start(model);
    await session.decide("p", { action: "approve", approvalId: "p", toolCallId: "c", approved: true });
    expect(session.underway("p")).toBe("sending");
    vi.advanceTimersByTime(UNANSWERED_MS);
    expect([session.underway("p"), session.unanswered]).toEqual(["queued", true]);
    vi.advanceTimersByTime(10 * UNLOCK_MS);
    expect(session.underway("p")).toBe("queued");
    model.push(["set", ["title"], "spoken"]);
    expect([session.underway("p"), session.unanswered]).toEqual(["sending", false]);
    vi.advanceTimersByTime(UNLOCK_MS);
    expect(session.underway("p")).toBeUndefined();
    session.close();
  });

  it("what the kernel says about a queued decision counts first", () => {
    const session = start(new FakeModel({ queuedDecisions: { p: "sending", q: "busy-cell" } }));
    expect([session.underway("p"), session.underway("q")]).toEqual(["sending", "queued"]);
    session.close();
  });
});

/** A relay behind `fetch`: one stream, and the actions that were posted. */
function relay({ isThere = true, takesActions = true, answersPosts = true } = {}) {
  const requests: { url: string; init: RequestInit }[] = [];
  let stream: ReadableStreamDefaultController<Uint8Array> | undefined;
  vi.stubGlobal("fetch", (url: string, init: RequestInit = {}) => {
    requests.push({ url, init });
    if (!answersPosts && init.method === "POST") {
      return new Promise((_, reject) => init.signal!.addEventListener("abort", () => reject(new DOMException("aborted", "AbortError"))));
    }
    if (init.method === "POST") return Promise.resolve(new Response(null, { status: takesActions ? 204 : 502 }));
    if (!isThere) return Promise.resolve(new Response("no", { status: 404 }));
    const body = new ReadableStream<Uint8Array>({
      start(controller) {
        stream = controller;
        init.signal!.addEventListener("abort", () => controller.error(new DOMException("aborted", "AbortError")));
      },
    });
    return Promise.resolve(new Response(body, { headers: { "content-type": "text/event-stream" } }));
  });
  const say = async (message: unknown): Promise<void> => {
    stream!.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(message)}\n\n`));
    await settle();
  };
  const open = (): number => requests.filter(({ init }) => init.method !== "POST" && !init.signal!.aborted).length;
  return { requests, say, open, end: () => stream!.close() };
}

async function settle(): Promise<void> {
  for (let n = 0; n < 20; n++) await vi.advanceTimersByTimeAsync(0);
}

function jupyterPage(): void {
  const config = document.createElement("script");
  config.id = "jupyter-config-data";
  config.type = "application/json";
  config.textContent = JSON.stringify({ baseUrl: "/user/bob/" });
  document.head.append(config);
  document.cookie = "_xsrf=2%7Cabc";
}

describe("by relay", () => {
  const BASE = "http://localhost:3000/user/bob/aisdk-lab/k/k/widget/";

  it("is opened beside the comm, carries batches and actions with the token, and the comm is no longer listened to", async () => {
    jupyterPage();
    const { requests, say } = relay();
    const model = new FakeModel(undefined, { carrier: "auto", session: "relay 1" });
    const session = start(model);
    await settle();
    expect(session.carrierName).toBe("relay");
    await say({ type: "snapshot", seq: 7, document: DOCUMENT });
    model.say({ type: "batch", seq: 8, ops: [["append", TEXT, "by comm"]] });
    await say({ type: "batch", seq: 8, ops: [["append", TEXT, "by relay"]] });
    expect(textOf(session)).toEqual({ type: "text", text: "by relay" });
    await session.act({ action: "stop" });
    expect(requests.map(({ url }) => url)).toEqual([`${BASE}relay%201/events?from=0`, `${BASE}relay%201/actions`]);
    expect(requests[1]!.init.headers).toEqual({ "Content-Type": "application/json", "X-XSRFToken": "2|abc" });
    expect(model.actions).toEqual([]);
    session.close();
  });

  it("a page without a Jupyter server, or a forced comm, makes no request", async () => {
    const { requests } = relay();
    const session = start(new FakeModel(DOCUMENT, { carrier: "auto" }));
    jupyterPage();
    const forced = start(new FakeModel(DOCUMENT, { carrier: "comm" }));
    await settle();
    expect(requests).toEqual([]);
    session.close();
    forced.close();
  });

  it("a relay that is not there leaves the comm in charge", async () => {
    jupyterPage();
    relay({ isThere: false });
    const session = start(new FakeModel(DOCUMENT, { carrier: "auto" }));
    await settle();
    expect([session.carrierName, session.connection]).toEqual(["comm", "live"]);
    session.close();
  });

  it("a post that fails is repeated by comm with the same action id", async () => {
    jupyterPage();
    const { requests } = relay({ takesActions: false });
    const model = new FakeModel(DOCUMENT, { carrier: "auto" });
    const session = start(model);
    await settle();
    await session.act({ action: "retry" });
    const posted = JSON.parse(requests.at(-1)!.init.body as string) as ActionMessage;
    expect(model.sent.at(-1)).toEqual(posted);
    expect(session.actionLost).toBe(false);
    session.close();
  });

  it("a post that fails with a forced relay is reported as lost", async () => {
    jupyterPage();
    relay({ takesActions: false });
    const model = new FakeModel(DOCUMENT, { carrier: "relay" });
    const session = start(model);
    await settle();
    await session.act({ action: "retry" });
    expect([session.actionLost, model.sent]).toEqual([true, []]);
    session.close();
  });

  it("a gap opens the stream again from the last number", async () => {
    jupyterPage();
    const { requests, say } = relay();
    const session = start(new FakeModel(undefined, { carrier: "relay", session: "gap" }));
    await settle();
    await say({ type: "snapshot", seq: 3, document: DOCUMENT });
    await say({ type: "batch", seq: 9, ops: [] });
    expect(requests.map(({ url }) => url)).toEqual([`${BASE}gap/events?from=0`, `${BASE}gap/events?from=3`]);
    session.close();
  });

  it("a stream that ends is opened again, from the last number", async () => {
    jupyterPage();
    const { requests, say, end } = relay();
    const session = start(new FakeModel(DOCUMENT, { carrier: "auto", session: "ends" }));
    await settle();
    await say({ type: "snapshot", seq: 5, document: DOCUMENT });
    end();
    await vi.advanceTimersByTimeAsync(300);
    expect(requests.map(({ url }) => url.split("?")[1])).toEqual(["from=1", "from=5"]);
    session.close();
  });

  it("a stream that went silent is given up, and the comm takes over", async () => {
    vi.spyOn(console, "info").mockImplementation(() => undefined);
    jupyterPage();
    const { say } = relay();
    const model = new FakeModel(DOCUMENT, { carrier: "auto" });
    const session = start(model);
    await settle();
    await say({ type: "snapshot", seq: 5, document: DOCUMENT });
    relay({ isThere: false });
    await vi.advanceTimersByTimeAsync(SILENCE_MS + 5_000);
    expect([session.carrierName, session.connection]).toEqual(["comm", "live"]);
    expect(model.sent.at(-1)).toEqual({ type: "sync", from: 0 });
    session.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("holds no connection while nobody looks, and one however many views look", async () => {
    jupyterPage();
    const { open } = relay();
    const session = start(new FakeModel(DOCUMENT, { carrier: "auto" }), { views: 0 });
    await settle();
    expect([open(), session.connection]).toEqual([0, "live"]);
    const detach = [session.attach(), session.attach()];
    await settle();
    expect([open(), session.carrierName]).toEqual([1, "relay"]);
    detach[0]!();
    detach[0]!();
    expect([open(), session.carrierName]).toEqual([1, "relay"]);
    detach[1]!();
    expect([open(), session.carrierName]).toEqual([0, "comm"]);
    session.close();
  });

  it("a view that goes while the stream is being opened leaves none behind", async () => {
    jupyterPage();
    const { open } = relay();
    const session = start(new FakeModel(DOCUMENT, { carrier: "auto" }), { views: 0 });
    session.attach()();
    await settle();
    expect([open(), session.carrierName]).toEqual([0, "comm"]);
    session.close();
    expect(vi.getTimerCount()).toBe(0);
  });

  it("from relay to comm and back, each batch is applied once", async () => {
    jupyterPage();
    const { requests, say } = relay();
    const model = new FakeModel(undefined, { carrier: "auto", session: "both" });
    const session = start(model, { views: 0 });
    const detach = session.attach();
    await settle();
    await say({ type: "snapshot", seq: 3, document: DOCUMENT });
    await say({ type: "batch", seq: 4, ops: [["append", TEXT, "a"]] });
    detach();
    expect(model.sent.at(-1)).toEqual({ type: "sync", from: 4 });
    for (const [seq, letter] of [[4, "a"], [5, "b"]] as const) model.say({ type: "batch", seq, ops: [["append", TEXT, letter]] }); // prettier-ignore
    session.attach();
    model.say({ type: "batch", seq: 6, ops: [["append", TEXT, "c"]] }); // while the stream from 5 is being opened
    await settle();
    expect(requests.at(-1)!.url).toBe(`${BASE}both/events?from=5`);
    await say({ type: "batch", seq: 6, ops: [["append", TEXT, "c"]] });
    model.say({ type: "batch", seq: 7, ops: [["append", TEXT, "d"]] });
    await say({ type: "batch", seq: 7, ops: [["append", TEXT, "d"]] });
    expect(textOf(session)).toEqual({ type: "text", text: "abcd" });
    session.close();
  });

  it("a page opens few streams; the other sidebars stay with the comm until a place is given back", async () => {
    jupyterPage();
    const { open } = relay();
    const sessions = Array.from({ length: 8 }, () => start(new FakeModel(DOCUMENT, { carrier: "auto" })));
    await settle();
    const names = (): string[] => sessions.map(({ carrierName }) => carrierName);
    expect([open(), names().filter((name) => name === "relay").length]).toEqual([PLACES, PLACES]);
    expect(sessions.every(({ connection }) => connection === "live")).toBe(true);
    sessions[0]!.close();
    await settle();
    expect([open(), names()[PLACES]]).toEqual([PLACES, "relay"]);
    for (const session of sessions) session.close();
    await settle();
    expect([open(), vi.getTimerCount()]).toEqual([0, 0]);
  });

  it("a relay that is not there keeps no place", async () => {
    jupyterPage();
    const { requests } = relay({ isThere: false });
    const sessions = Array.from({ length: 4 }, () => start(new FakeModel(DOCUMENT, { carrier: "auto" })));
    await settle();
    expect(requests.length).toBe(4);
    for (const session of sessions) session.close();
  });

  it("asking twice at once leaves one connection, not two", async () => {
    jupyterPage();
    const { say, open } = relay();
    const session = start(new FakeModel(undefined, { carrier: "relay" }));
    await settle();
    await say({ type: "snapshot", seq: 3, document: DOCUMENT });
    await say({ type: "batch", seq: 9, ops: [] });
    await say({ type: "batch", seq: 9, ops: [] });
    await vi.advanceTimersByTimeAsync(5_000);
    expect(open()).toBe(1);
    session.close();
  });

  it("a post that nothing answers is given to the comm after some seconds, with the same action id", async () => {
    jupyterPage();
    const { requests } = relay({ answersPosts: false });
    const model = new FakeModel(DOCUMENT, { carrier: "auto" });
    const session = start(model);
    await settle();
    const act = session.act({ action: "stop" });
    await vi.advanceTimersByTimeAsync(POST_MS - 1);
    expect(model.actions).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    await act;
    expect(model.sent.at(-1)).toEqual(JSON.parse(requests.at(-1)!.init.body as string));
    expect(session.actionLost).toBe(false);
    session.close();
  });
});
