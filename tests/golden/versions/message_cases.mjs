// Message lists for the two questions after which a chat sends again by itself.

const STATES = {
  'input-streaming': { input: {} },
  'input-available': { input: {} },
  'approval-requested': { input: {}, approval: { id: 'a' } },
  'approval-responded': { input: {}, approval: { id: 'a', approved: true } },
  'output-available': { input: {}, output: 1 },
  'output-error': { input: {}, errorText: 'no' },
  'output-denied': { input: {}, approval: { id: 'a', approved: false } },
};
const call = (state, more = {}) => ({ type: 'tool-t', toolCallId: `c-${state}`, state, ...STATES[state], ...more });
const step = { type: 'step-start' };
const text = state => ({ type: 'text', text: 'x', ...(state ? { state } : {}) });
const said = (parts, role = 'assistant') => [{ id: 'u', role: 'user', parts: [text()] }, { id: 'a', role, parts }];

function* cases() {
  yield ['no-message', []];
  yield ['last-is-user', [...said([step, call('output-available')]), { id: 'u2', role: 'user', parts: [text()] }]];
  yield ['role-system', said([step, call('output-available')], 'system')];
  yield ['no-part', said([])];
  yield ['only-text', said([step, text('done')])];
  const states = Object.keys(STATES);
  for (const state of states) {
    yield [`one/${state}`, said([step, call(state)])];
    yield [`dynamic/${state}`, said([step, { ...call(state), type: 'dynamic-tool', toolName: 't' }])];
    yield [`provider/${state}`, said([step, call(state, { providerExecuted: true })])];
    yield [`client/${state}`, said([step, call(state, { providerExecuted: false })])];
    yield [`no-step/${state}`, said([call(state)])];
    yield [`earlier-step/${state}`, said([step, call(state), step, text('done')])];
    yield [`earlier-open/${state}`, said([step, call('input-available'), step, call(state)])];
    yield [`beside-provider-open/${state}`, said([step, call(state), call('input-available', { providerExecuted: true })])];
    yield [`beside-provider-responded/${state}`, said([step, call(state), call('approval-responded', { providerExecuted: true })])];
    for (const other of states.slice(states.indexOf(state) + 1)) yield [`two/${state}+${other}`, said([step, call(state), call(other)])];
    for (const end of ['done', 'streaming', undefined]) yield [`then-text-${end ?? 'stateless'}/${state}`, said([step, call(state), text(end)])];
  }
  yield ['preliminary', said([step, call('output-available', { preliminary: true })])];
  yield ['preliminary-false', said([step, call('output-available', { preliminary: false })])];
  yield ['preliminary-beside-responded', said([step, call('output-available', { preliminary: true }), call('approval-responded')])];
  yield ['text-before', said([step, text(), call('output-available')])];
  yield ['streaming-text-before', said([step, text('streaming'), call('output-available')])];
  yield ['text-between', said([step, call('output-available'), text('streaming'), call('output-error')])];
  yield ['reasoning-after', said([step, call('output-available'), { type: 'reasoning', text: 'x', state: 'streaming' }])];
  yield ['empty-text-after', said([step, call('output-available'), { type: 'text', text: '', state: 'streaming' }])];
  yield ['text-in-next-step', said([step, call('output-available'), step, text('streaming')])];
  yield ['empty-step-after', said([step, call('output-available'), step])];
  yield ['provider-after-client-then-text', said([step, call('output-available'), call('output-available', { providerExecuted: true }), text('streaming')])];
  yield ['text-between-client-and-provider', said([step, call('output-available'), text('streaming'), call('output-error', { providerExecuted: true })])];
  yield ['automatic-request', said([step, call('approval-requested', { approval: { id: 'a', isAutomatic: true } })])];
  yield ['denied-response', said([step, call('approval-responded', { approval: { id: 'a', approved: false } })])];
  yield ['denied-response-beside-output', said([step, call('approval-responded', { approval: { id: 'a', approved: false } }), call('output-available')])];
  yield ['no-state', said([step, { type: 'tool-t', toolCallId: 'c', input: {} }])];
  yield ['data-after', said([step, call('output-available'), { type: 'data-x', data: 1 }])];
}

export const messageCases = () => [...cases()].map(([name, messages]) => ({ name, messages }));
