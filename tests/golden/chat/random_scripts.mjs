// Random scripts for a chat client, seeded: turns that mostly make sense, with a person and a network that do not.
export function randomness(seed) {
  let state = seed | 0;
  const random = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const chance = (share) => random() < share;
  const pick = (list) => list[Math.floor(random() * list.length)];
  return { chance, pick };
}

const CALLS = ["c1", "c2", "c3"];
const APPROVALS = ["p1", "p2"];
const TOOLS = ["ask", "loc", "srv"];

function chunksOf({ chance, pick, isWild, seen }, known) {
  const chunks = [];
  if (!isWild && chance(0.5)) seen.clear();
  const callId = () => (isWild || !seen.size ? pick(CALLS) : pick([...seen]));
  const id = () => pick(["t", "u"]);
  const push = (...more) => chunks.push(...more);
  if (chance(0.85)) {
    push({
      type: "start",
      ...(chance(0.7) && { messageId: chance(0.6) && known.length ? pick(known) : pick(["m1", "m2", "a1"]) }),
      ...(chance(0.15) && { messageMetadata: { at: pick([1, 2]), deep: { a: pick([1, null]) } } }),
    });
  }
  const pieces = {
    text: () => {
      const text = id();
      push({ type: "text-start", id: text }, { type: "text-delta", id: text, delta: pick(["a", "é", "long text "]) });
      if (chance(0.8)) push({ type: "text-end", id: text });
    },
    reasoning: () => push({ type: "reasoning-start", id: "r" }, { type: "reasoning-delta", id: "r", delta: "h" }, ...(chance(0.8) ? [{ type: "reasoning-end", id: "r" }] : [])),
    step: () => push(...(chance(0.5) ? [{ type: "finish-step" }] : []), { type: "start-step" }),
    call: () => {
      const call = { toolCallId: pick(CALLS), toolName: pick(TOOLS), ...(chance(0.15) && { dynamic: true }), ...(chance(0.2) && { providerExecuted: true }) };
      const isStreamed = chance(0.4);
      if (isStreamed) push({ type: "tool-input-start", ...call }, { type: "tool-input-delta", toolCallId: call.toolCallId, inputTextDelta: pick(['{"q"', '{"q":[1', "["]) });
      seen.add(call.toolCallId);
      if (!isStreamed || chance(0.8)) push({ type: "tool-input-available", ...call, input: pick([{ q: 1 }, {}, null]) });
      if (chance(0.35)) push({ type: "tool-approval-request", approvalId: pick(APPROVALS), toolCallId: call.toolCallId });
      if (chance(0.2)) push({ type: "tool-output-available", toolCallId: call.toolCallId, output: pick([1, null, { r: 2 }]), ...(chance(0.3) && { preliminary: true }) });
    },
    result: () => {
      const results = [
        { type: "tool-output-available", toolCallId: callId(), output: "done" },
        { type: "tool-output-error", toolCallId: callId(), errorText: "broken" },
        { type: "tool-output-denied", toolCallId: callId() },
        ...(isWild ? [{ type: "tool-approval-response", approvalId: pick(APPROVALS), approved: chance(0.5) }] : []),
      ];
      if (isWild || seen.size) push(pick(results));
    },
    data: () => push({ type: "data-x", data: pick([1, { a: [] }]), ...(chance(0.5) && { id: "d" }), ...(chance(0.3) && { transient: true }) }),
    metadata: () => push({ type: "message-metadata", messageMetadata: { tokens: pick([3, 4]) } }),
    odd: () => push(pick([
      { type: "text-delta", id: "missing", delta: "x" },
      { type: "error", errorText: "boom" },
      { type: "abort", reason: "server" },
      { type: "from-the-future", value: 1 },
      { type: "reset-step" },
      { type: "start", messageId: "m3" },
      { type: "start" },
      { type: "source-url", sourceId: "s", url: "https://example.org/" },
      { type: "file", mediaType: "image/png", url: "data:," },
    ])),
  };
  const kinds = ["text", "text", "call", "call", "call", "step", "step", "data", "reasoning", "metadata", ...(chance(0.5) ? ["result"] : []), ...(isWild && chance(0.4) ? ["odd"] : [])];
  for (let more = pick([1, 2, 3, 4]); more > 0; more--) pieces[pick(kinds)]();
  if (chance(0.6)) push({ type: "finish", ...(chance(0.8) && { finishReason: pick(["stop", "tool-calls", "tool-calls", "length", "interrupted"]) }), ...(chance(0.1) && { messageMetadata: { end: true } }) });
  return chunks;
}

const ERRORS = [{ message: "HTTP 500" }, { name: "TypeError", message: "network error" }, { name: "TypeError", message: "Failed to fetch" }, { name: "TypeError", message: "x is not a function" }, { name: "AbortError", message: "aborted" }, { name: "AI_APICallError", message: "no" }];

function historyOf({ chance, pick }) {
  const user = (id) => ({ id, role: "user", parts: [{ type: "text", text: `question ${id}` }] });
  const tool = (state, more) => ({ type: chance(0.8) ? "tool-ask" : "dynamic-tool", toolCallId: pick(CALLS), state, input: { q: 1 }, ...more });
  const answer = (id) => {
    const part = pick([
      { type: "text", text: "answer", state: "done" },
      { type: "text", text: "ans", state: "streaming" },
      tool("input-streaming", { rawInput: '{"q":1' }),
      tool("input-available", chance(0.4) ? { providerExecuted: true } : {}),
      tool("approval-requested", { approval: { id: pick(APPROVALS) } }),
      tool("approval-responded", { approval: { id: pick(APPROVALS), approved: chance(0.6) } }),
      tool("output-available", { output: 1, ...(chance(0.3) && { preliminary: true }) }),
      tool("output-error", { errorText: "no", approval: { id: "p1", approved: true } }),
    ]);
    if (part.type === "dynamic-tool") part.toolName = "ask";
    return { id, role: "assistant", parts: [{ type: "step-start" }, part], ...(chance(0.2) && { metadata: { old: 1 } }) };
  };
  if (chance(0.35)) return undefined;
  const messages = [user("u1")];
  if (chance(0.8)) messages.push(answer("a1"));
  if (chance(0.4)) messages.push(user("u2"));
  if (chance(0.3)) messages.push(answer("a2"));
  return messages;
}

function scriptOf(dice) {
  const { chance, pick } = dice;
  dice.isWild = chance(0.4); // else nobody answers what was not asked, and no chunk is out of order
  dice.seen = new Set();
  const { isWild } = dice;
  const messages = historyOf(dice);
  const options = {
    ...(chance(0.6) && { sendAutomaticallyWhen: pick(["toolCalls", "approvals", "either", "either"]) }),
    ...(chance(0.35) && { onToolCall: Object.fromEntries(TOOLS.filter(() => chance(0.5)).map((tool) => [tool, pick(["Oslo", 1, null])])) }),
    ...(chance(0.4) && { queue: true }),
    ...(chance(0.3) && { resumeStreamIsReplay: chance(0.5) }),
  };
  const ids = ["gen-2", "gen-4", "m1", "a1"];
  const message = () => !isWild && chance(0.7) ? { text: "hello" } : pick([
    { text: pick(["hi", "again"]) },
    { text: "with", metadata: { m: 1 } },
    { parts: [{ type: "text", text: "own" }], ...(chance(0.5) && { id: "own-1" }) },
    { text: "look", files: [{ type: "file", mediaType: "text/plain", url: "data:," }] },
    undefined,
    { text: "edited", messageId: pick(isWild ? ["u1", "u2", "gen-1", "a1", "zz"] : ["gen-1", ...(messages ? ["u1"] : [])]) },
  ]);
  const person = {
    send: () => ({ do: "send", message: message() }),
    regenerate: () => ({ do: "regenerate", ...(isWild && chance(0.5) && { messageId: pick(["a1", "u1", "m1", "gen-2", "zz"]) }) }),
    resume: () => ({ do: "resume" }),
    stop: () => ({ do: "stop" }),
    clearError: () => ({ do: "clearError" }),
    toolOutput: () => ({ do: "toolOutput", tool: "ask", toolCallId: pick(!isWild && dice.seen.size ? [...dice.seen] : [...CALLS, "zz"]), ...(chance(0.75) ? { output: pick([42, null, { a: 1 }]) } : { state: "output-error", errorText: "closed" }) }),
    approval: () => ({ do: "approval", id: pick([...APPROVALS, ...APPROVALS, "zz"]), approved: chance(0.6), ...(chance(0.3) && { reason: "because" }) }),
    setMessages: () => ({ do: "setMessages", messages: historyOf(dice) ?? [] }),
    transportError: () => ({ do: "transportError", error: pick(ERRORS) }),
    reconnectNull: () => ({ do: "reconnectNull" }),
    chunks: () => ({ do: "chunks", chunks: chunksOf(dice, ids) }),
    close: () => ({ do: "close" }),
    fail: () => ({ do: "fail", error: pick(ERRORS) }),
  };
  const script = [];
  const act = (name) => script.push(person[name]());
  const turn = () => {
    act(pick(["send", "send", "send", "send", "regenerate", "resume"]));
    act("chunks");
    if (chance(0.3)) act(pick(["toolOutput", "approval", "stop", "send", "chunks", "resume"]));
    act(pick(["close", "close", "close", "close", "fail", "stop"]));
    for (const what of ["toolOutput", "toolOutput", "approval", "approval"]) if (chance(0.3)) act(what);
    if (chance(0.4)) script.push(person.chunks(), { do: "close" });
  };
  for (let more = pick([1, 2, 2, 3]); more > 0; more--) {
    if (chance(0.35)) act(pick(["clearError", "setMessages", "transportError", "reconnectNull", "stop", "toolOutput", "approval", "resume", "close"]));
    turn();
  }
  return { mode: "chat", script, ...(messages && { messages }), ...(Object.keys(options).length && { options }) };
}

export function randomScripts(seed, count) {
  const dice = randomness(seed);
  return Array.from({ length: count }, () => scriptOf(dice));
}
