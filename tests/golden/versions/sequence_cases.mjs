// Sequences of chunks whose message changed from version to version without a new name on the wire.

const c = (type, fields = {}) => ({ type, ...fields });
const start = c('start', { messageId: 'm' });
const step = c('start-step'), endStep = c('finish-step'), finish = c('finish');
const textStart = c('text-start', { id: 't' }), delta = text => c('text-delta', { id: 't', delta: text }), textEnd = c('text-end', { id: 't' });
const callStart = (more = {}) => c('tool-input-start', { toolCallId: 'c', toolName: 'f', ...more });
const inputDelta = text => c('tool-input-delta', { toolCallId: 'c', inputTextDelta: text });
const available = (more = {}) => c('tool-input-available', { toolCallId: 'c', toolName: 'f', input: { a: 1 }, ...more });
const output = (more = {}) => c('tool-output-available', { toolCallId: 'c', output: 1, ...more });
const failed = (more = {}) => c('tool-output-error', { toolCallId: 'c', errorText: 'no', ...more });
const request = (more = {}) => c('tool-approval-request', { approvalId: 'a', toolCallId: 'c', ...more });
const META = { p: { k: 1 } };

const SEQUENCES = {
  'text-over-finish-step': [start, step, textStart, delta('one '), endStep, delta('two'), textEnd, finish],
  'reasoning-over-finish-step': [start, step, c('reasoning-start', { id: 'r' }), endStep, c('reasoning-delta', { id: 'r', delta: 'x' }), c('reasoning-end', { id: 'r' }), finish],
  'text-unended': [start, step, textStart, delta('x'), endStep, finish],
  'reasoning-id': [start, step, c('reasoning-start', { id: 'r' }), c('reasoning-delta', { id: 'r', delta: 'x' }), c('reasoning-end', { id: 'r' }), endStep, finish],
  'text-id-twice': [start, step, textStart, delta('a'), textEnd, textStart, delta('b'), textEnd, endStep, finish],
  'text-start-while-open': [start, step, textStart, delta('a'), textStart, delta('b'), textEnd, endStep, finish],
  'call-id-again-in-next-step': [start, step, available(), output(), endStep, step, available({ input: { a: 2 } }), output({ output: 2 }), endStep, finish],
  'dynamic-output-without-flag': [start, step, available({ dynamic: true }), output(), endStep, finish],
  'dynamic-output-with-flag': [start, step, available({ dynamic: true }), output({ dynamic: true }), endStep, finish],
  'dynamic-error-without-flag': [start, step, available({ dynamic: true }), failed(), endStep, finish],
  'failed-input-static': [start, step, c('tool-input-error', { toolCallId: 'c', toolName: 'f', input: { a: 1 }, errorText: 'bad' }), endStep, finish],
  'failed-input-dynamic': [start, step, c('tool-input-error', { toolCallId: 'c', toolName: 'f', input: '{"a', errorText: 'bad', dynamic: true }), endStep, finish],
  'streamed-input-cut': [start, step, callStart(), inputDelta('{"a": [1, '), inputDelta('2')],
  'streamed-input-complete': [start, step, callStart(), inputDelta('{"a": 1}'), available(), output(), endStep, finish],
  'text-encoded-input': [start, step, callStart({ inputEncoding: 'text' }), inputDelta('print('), inputDelta('1)')],
  'repaired-tool-name': [start, step, callStart({ toolName: 'g' }), available(), output(), endStep, finish],
  'metadata-of-call': [start, step, callStart({ providerMetadata: META }), available(), output(), endStep, finish],
  'metadata-of-result': [start, step, available({ providerMetadata: META }), output({ providerMetadata: { p: { k: 2 } } }), endStep, finish],
  'tool-metadata-of-input': [start, step, available({ toolMetadata: { k: 1 } }), output(), endStep, finish],
  'tool-metadata-of-output': [start, step, available(), output({ toolMetadata: { k: 1 } }), endStep, finish],
  'title-of-tool': [start, step, callStart({ title: 'F' }), available({ title: 'F' }), output(), endStep, finish],
  'preliminary-output': [start, step, available(), output({ preliminary: true }), output({ output: 2 }), endStep, finish],
  'preliminary-output-alone': [start, step, available(), output({ preliminary: true }), endStep, finish],
  'second-start-other-id': [start, step, textStart, delta('old'), textEnd, c('start', { messageId: 'n' }), textStart, delta('new'), textEnd, finish],
  'second-start-same-id': [start, step, textStart, delta('old'), textEnd, start, c('text-start', { id: 'u' }), c('text-delta', { id: 'u', delta: 'new' }), c('text-end', { id: 'u' }), finish],
  'reset-step': [start, step, textStart, delta('gone'), textEnd, c('reset-step'), c('text-start', { id: 'u' }), c('text-delta', { id: 'u', delta: 'kept' }), c('text-end', { id: 'u' }), endStep, finish],
  'approval-asked': [start, step, available(), request(), endStep, finish],
  'approval-asked-with-everything': [start, step, available(), request({ approvalDescriptor: { d: 1 }, inputSchemaInput: { a: '1' }, reason: 'why', isAutomatic: true, signature: 's' }), endStep, finish],
  'approval-given-on-the-wire': [start, step, available(), request({ reason: 'why', signature: 's' }), c('tool-approval-response', { approvalId: 'a', approved: true, reason: 'ok' }), output(), endStep, finish],
  'approval-refused-on-the-wire': [start, step, available(), request({ isAutomatic: true }), c('tool-approval-response', { approvalId: 'a', approved: false, reason: 'policy' }), c('tool-output-denied', { toolCallId: 'c' }), endStep, finish],
  'denied-after-request': [start, step, available(), request(), c('tool-output-denied', { toolCallId: 'c' }), endStep, finish],
  'denied-without-request': [start, step, available(), c('tool-output-denied', { toolCallId: 'c' }), endStep, finish],
  'request-for-unknown-call': [start, step, request(), finish],
  'output-for-unknown-call': [start, step, output(), finish],
  'input-delta-for-unknown-call': [start, step, inputDelta('{}'), finish],
  'text-delta-for-unknown-block': [start, step, delta('x'), finish],
  'text-end-for-unknown-block': [start, step, textEnd, finish],
  'reasoning-delta-for-unknown-block': [start, step, c('reasoning-delta', { id: 'r', delta: 'x' }), finish],
  'custom-part': [start, step, c('custom', { kind: 'p.t', providerMetadata: META }), endStep, finish],
  'reasoning-file': [start, step, c('reasoning-file', { url: 'data:,x', mediaType: 'text/plain' }), endStep, finish],
  'steering': [start, step, c('steering-message', { id: 's', parts: [{ type: 'text', text: 'x' }] }), endStep, finish],
  'citations': [start, step, textStart, delta('x'), c('text-end', { id: 't', citations: [{ source: { type: 'source', sourceType: 'url', id: 's', url: 'u' } }] }), endStep, finish],
  'data-replaced': [start, c('data-x', { id: 'd', data: 1 }), c('data-x', { id: 'd', data: 2 }), c('data-x', { data: 3, transient: true }), finish],
  'metadata-merged': [c('start', { messageId: 'm', messageMetadata: { a: { b: 1 } } }), c('message-metadata', { messageMetadata: { a: { c: 2 } } }), c('finish', { messageMetadata: { d: 3 } })],
  'interrupted': [start, step, textStart, delta('x'), endStep, c('finish', { finishReason: 'interrupted' })],
  'error-then-more': [start, step, c('error', { errorText: 'no' }), textStart, delta('x'), textEnd, endStep, finish],
  'start-without-id': [c('start'), step, textStart, delta('x'), textEnd, endStep, finish],
  'legacy-reasoning-part-finish': [start, step, c('reasoning-part-finish'), textStart, delta('x'), textEnd, endStep, finish],
};

const half = { type: 'tool-f', toolCallId: 'c', state: 'input-streaming', input: { a: [1] }, rawInput: '{"a": [1' };
const RESUMED = {
  'resumed-text': [{ type: 'step-start' }, { type: 'text', text: 'one ', state: 'streaming' }],
  'resumed-input': [{ type: 'step-start' }, half],
};
const ON_GOES = { 'resumed-text': [start, delta('two'), textEnd, finish], 'resumed-input': [start, inputDelta(', 2]}'), finish] };

export const sequenceCases = () => [
  ...Object.entries(SEQUENCES).map(([name, chunks]) => ({ name, chunks })),
  ...Object.entries(RESUMED).map(([name, parts]) => ({ name, message: { id: 'm', role: 'assistant', parts }, chunks: ON_GOES[name] })),
];
