import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { hostileName, hostileValue, withRawParts } from './hostile.ts';
import { Known } from './values.ts';

/** A valid body, what is changed in it, and what is done to its text. */
export interface BodyPlan {
  readonly skeleton: unknown;
  readonly changes: readonly Change[];
  readonly text: keyof typeof textChanges;
}

type Change =
  | { readonly kind: 'replace'; readonly at: number; readonly value: unknown }
  | { readonly kind: 'remove'; readonly at: number }
  | { readonly kind: 'add'; readonly at: number; readonly name: string; readonly value: unknown }
  | { readonly kind: 'list'; readonly at: number };

const at = fc.nat(1_000);
const change: fc.Arbitrary<Change> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('replace'), at, value: hostileValue }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('remove'), at }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('add'), at, name: hostileName, value: hostileValue }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('list'), at }) },
);

/** What a client may make of the text of a body. */
const textChanges = {
  none: (text: string) => Buffer.from(text),
  duplicateKey: (text: string) => Buffer.from(text.replace(/^\{("(?:[^"\\]|\\.)*":)/, '{$1null,$1')),
  cut: (text: string) => Buffer.from(text.slice(0, Math.ceil(text.length / 2))),
  more: (text: string) => Buffer.from(`${text},{}`),
  byteOrderMark: (text: string) => Buffer.from(`\ufeff${text}`),
  prototype: (text: string) => Buffer.from(text.replace(/^\{/, '{"__proto__":{"isAdmin":true},')),
  brokenUtf8: (text: string) =>
    Buffer.concat([Buffer.from(text.slice(0, -2)), Buffer.from([0xc3, 0x28, 0xff]), Buffer.from('"}')]),
  utf16: (text: string) => Buffer.from(text, 'utf16le'),
  gzip: (text: string) => gzipSync(text),
  spaces: () => Buffer.from('  \n'),
  nothing: () => Buffer.alloc(0),
} as const;

const textKinds = Object.keys(textChanges) as (keyof typeof textChanges)[];

/** Bodies around valid ones: most have one or two changes, and some none. */
export function bodiesAround(skeleton: fc.Arbitrary<unknown>): fc.Arbitrary<BodyPlan> {
  return fc.record({
    skeleton,
    changes: fc.oneof(fc.constant([]), fc.array(change, { minLength: 1, maxLength: 2 })),
    text: fc.oneof(
      { weight: 15, arbitrary: fc.constant('none' as const) },
      { weight: 1, arbitrary: fc.constantFrom(...textKinds) },
    ),
  });
}

/** The bytes of a planned body; `find` gives what a known value stands for. */
export function bytesOf({ skeleton, changes, text }: BodyPlan, find: (known: Known) => string): Buffer {
  const changed = changes.reduce(applied, resolved(skeleton, find));
  return textChanges[text](withRawParts(changed === undefined ? '' : JSON.stringify(changed)));
}

function resolved(value: unknown, find: (known: Known) => string): unknown {
  if (value instanceof Known) return find(value);
  if (Array.isArray(value)) return value.map((item: unknown) => resolved(item, find));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, resolved(field, find)]));
}

type Path = readonly (string | number)[];

function applied(body: unknown, planned: Change): unknown {
  const paths = pathsIn(body);
  const path = paths[planned.at % paths.length] ?? [];
  return changedAt(body, path, (value) => {
    if (planned.kind === 'replace') return planned.value;
    if (planned.kind === 'remove') return undefined;
    if (planned.kind === 'list') return [value];
    return typeof value === 'object' ? { ...value, [planned.name]: planned.value } : { [planned.name]: value };
  });
}

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  const inside: (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : Object.entries(value);
  return [path, ...inside.flatMap(([step, field]) => pathsIn(field, [...path, step]))];
}

function changedAt(value: unknown, [step, ...rest]: Path, edit: (value: unknown) => unknown): unknown {
  if (step === undefined) return edit(value);
  if (Array.isArray(value)) {
    const items = value as readonly unknown[];
    return items.with(Number(step), changedAt(items[Number(step)], rest, edit));
  }
  const fields = Object.entries(value as Record<string, unknown>).map(([name, field]) => [
    name,
    name === step ? changedAt(field, rest, edit) : field,
  ]);
  return Object.fromEntries(fields) as unknown;
}
