// Every chunk type x field x enum value x unknown key x null x wrong kind of value, over the union of what any version knows.

const META = { p: { k: 'v' } };
const SOURCE = { type: 'source', sourceType: 'url', id: 's', url: 'https://example.org' };
const VALUES = {
  string: { good: 'x', bad: 5 },
  boolean: { good: true, bad: 'true' },
  any: { good: { k: 1 }, bad: undefined },
  metadata: { good: META, bad: { p: 1 } },
  object: { good: { k: 1 }, bad: 'x' },
  reason: { good: 'stop', bad: 'done' },
  encoding: { good: 'json', bad: 'xml' },
  citations: { good: [{ source: SOURCE }], bad: {} },
  parts: { good: [{ type: 'text', text: 'x' }], bad: {} },
};
const tool = { toolCallId: 'string!' };
const executed = { providerExecuted: 'boolean', providerMetadata: 'metadata', toolMetadata: 'object', dynamic: 'boolean' };
const block = { id: 'string!', providerMetadata: 'metadata' };
const file = { url: 'string!', mediaType: 'string!', providerMetadata: 'metadata' };
/** Field -> kind, `!` required where the type is known. The last two types are legacy of early 5.0. */
const TYPES = {
  start: { messageId: 'string', messageMetadata: 'any' },
  finish: { finishReason: 'reason', messageMetadata: 'any' },
  abort: { reason: 'string' },
  error: { errorText: 'string!' },
  'message-metadata': { messageMetadata: 'any!' },
  'start-step': {},
  'finish-step': {},
  'reset-step': {},
  'text-start': block,
  'text-delta': { delta: 'string!', ...block },
  'text-end': { citations: 'citations', ...block },
  'reasoning-start': block,
  'reasoning-delta': { delta: 'string!', ...block },
  'reasoning-end': block,
  'reasoning-file': file,
  file,
  custom: { kind: 'string!', providerMetadata: 'metadata' },
  'source-url': { sourceId: 'string!', url: 'string!', title: 'string', providerMetadata: 'metadata' },
  'source-document': { sourceId: 'string!', mediaType: 'string!', title: 'string!', filename: 'string', providerMetadata: 'metadata' },
  'steering-message': { id: 'string!', parts: 'parts!' },
  'tool-input-start': { ...tool, toolName: 'string!', inputEncoding: 'encoding', ...executed, title: 'string' },
  'tool-input-delta': { ...tool, inputTextDelta: 'string!' },
  'tool-input-available': { ...tool, toolName: 'string!', input: 'any!', ...executed, title: 'string' },
  'tool-input-error': { ...tool, toolName: 'string!', input: 'any!', errorText: 'string!', ...executed, title: 'string' },
  'tool-approval-request': {
    approvalId: 'string!', ...tool, approvalDescriptor: 'any', inputSchemaInput: 'any', reason: 'string', isAutomatic: 'boolean', signature: 'string',
  },
  'tool-approval-response': { approvalId: 'string!', approved: 'boolean!', reason: 'string', providerExecuted: 'boolean', providerMetadata: 'metadata' },
  'tool-output-available': { ...tool, output: 'any!', ...executed, preliminary: 'boolean' },
  'tool-output-error': { ...tool, errorText: 'string!', ...executed },
  'tool-output-denied': tool,
  'data-x': { data: 'any!', id: 'string', transient: 'boolean' },
  reasoning: { text: 'string!', providerMetadata: 'metadata' },
  'reasoning-part-finish': {},
};
const NOT_TYPES = ['source', 'tool-input-end', 'step-start', 'tool-call', 'tool-result', 'message', 'ping', 'raw', 'text', 'dynamic-tool', 'Start', 'data', 'data_x', 'Data-x', ''];

const METADATA = { empty: {}, 'empty-provider': { p: {} }, 'null-value': { p: { k: null } }, deep: { p: { k: [1, { a: [] }] } }, flat: { p: 1 }, text: 'x', list: [], 'null-provider': { p: null }, 'list-provider': { p: [] } };
const TOOL_METADATA = { empty: {}, 'null-value': { k: null }, deep: { k: [1, { a: null }] }, text: 'x', list: [], number: 1 };
const DOCUMENT = { type: 'source', sourceType: 'document', id: 's', mediaType: 'text/plain', title: 't' };
const CITATIONS = {
  empty: [], document: [{ source: DOCUMENT }], full: [{ source: { ...SOURCE, title: 't', providerMetadata: META }, startIndex: 0, endIndex: 3, citedText: 'abc' }],
  negative: [{ source: SOURCE, startIndex: -1 }], fraction: [{ source: SOURCE, endIndex: 1.5 }], 'boolean-index': [{ source: SOURCE, startIndex: true }],
  'null-index': [{ source: SOURCE, startIndex: null }], 'no-source': [{ startIndex: 0 }], 'no-title': [{ source: { ...DOCUMENT, title: undefined } }],
  'wrong-source-type': [{ source: { ...SOURCE, sourceType: 'web' } }], 'unknown-key': [{ source: SOURCE, x: 1 }], 'unknown-source-key': [{ source: { ...SOURCE, x: 1 } }],
};
const PARTS = {
  empty: [], file: [{ type: 'file', mediaType: 'image/png', url: 'u' }], reference: [{ type: 'file', mediaType: 'image/png', url: 'u', filename: 'f', providerReference: { p: 'r' } }],
  'wrong-reference': [{ type: 'file', mediaType: 'image/png', url: 'u', providerReference: { p: 1 } }], 'no-text': [{ type: 'text' }], other: [{ type: 'reasoning', text: 'x' }],
  'unknown-key': [{ type: 'text', text: 'x', y: 1 }], 'null-metadata': [{ type: 'text', text: 'x', providerMetadata: null }],
};

const without = (object, name) => Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));

function* cases() {
  const names = [...new Set(Object.values(TYPES).flatMap(Object.keys))];
  const good = Object.fromEntries(Object.values(TYPES).flatMap(fields => Object.entries(fields).map(([name, kind]) => [name, VALUES[kind.replace('!', '')].good])));
  for (const [type, fields] of Object.entries(TYPES)) {
    const required = Object.entries(fields).filter(([, kind]) => kind.endsWith('!'));
    const base = { type, ...Object.fromEntries(required.map(([name, kind]) => [name, VALUES[kind.slice(0, -1)].good])) };
    yield [`${type}/minimal`, base];
    yield [`${type}/unknown-key`, { ...base, zzUnknown: 1 }];
    yield [`${type}/unknown-null-key`, { ...base, zzUnknown: null }];
    for (const [name, marked] of Object.entries(fields)) {
      const kind = marked.replace('!', '');
      yield [`${type}/${name}/good`, { ...base, [name]: VALUES[kind].good }];
      yield [`${type}/${name}/null`, { ...base, [name]: null }];
      if (kind !== 'any') yield [`${type}/${name}/wrong`, { ...base, [name]: VALUES[kind].bad }];
      if (kind === 'string') yield [`${type}/${name}/empty`, { ...base, [name]: '' }];
      if (kind === 'boolean') yield [`${type}/${name}/false`, { ...base, [name]: false }];
      if (kind === 'boolean') yield [`${type}/${name}/number`, { ...base, [name]: 1 }];
      if (marked.endsWith('!')) yield [`${type}/${name}/missing`, without(base, name)];
      const table = { metadata: METADATA, object: TOOL_METADATA, citations: CITATIONS, parts: PARTS }[kind] ?? {};
      for (const [what, value] of Object.entries(table)) yield [`${type}/${name}/${what}`, { ...base, [name]: value }];
    }
    for (const name of names) if (!(name in fields)) yield [`${type}/foreign-${name}`, { ...base, [name]: good[name] }];
    // A foreign key with a value that no version could want there: only the strictness of the object decides.
    for (const name of names) if (!(name in fields)) yield [`${type}/foreign-null-${name}`, { ...base, [name]: null }];
  }
  for (const reason of ['stop', 'length', 'content-filter', 'tool-calls', 'error', 'interrupted', 'other', 'unknown', 'Stop', '', 'tool_calls', 'pause'])
    yield [`finish/finishReason=${reason}`, { type: 'finish', finishReason: reason }];
  for (const encoding of ['json', 'text', 'JSON', '', 'base64'])
    yield [`tool-input-start/inputEncoding=${encoding}`, { type: 'tool-input-start', toolCallId: 'x', toolName: 'x', inputEncoding: encoding }];
  for (const type of NOT_TYPES) yield [`unknown-type/${type || 'empty'}`, { type }];
  for (const type of ['data-', 'data-a-b', 'data-数', 'data-X']) yield [`data-family/${type}`, { type, data: 1 }];
  for (const data of [0, '', false, [], {}]) yield [`data-family/value-${JSON.stringify(data)}`, { type: 'data-x', data }];
  for (const value of [{}, { type: null }, { type: 5 }, { type: ['start'] }, [], [{ type: 'start' }], 'start', 5, true, null]) yield [`no-chunk/${JSON.stringify(value)}`, value];
}

export const chunkCases = () => [...cases()].map(([name, chunk]) => ({ name, chunk: JSON.parse(JSON.stringify(chunk)) }));
