import { expect, test } from '@jest/globals';
import { differences, type JsonSchema } from './json-schema.ts';

const text: JsonSchema = { type: 'string' };
const person: JsonSchema = { type: 'object', properties: { name: text }, required: ['name'] };
const resolve = () => person;
const byKind: JsonSchema = { oneOf: [person, {}], discriminator: { propertyName: 'kind', mapping: { a: '#' } } };

test.each<[string, JsonSchema, unknown, string[]]>([
  ['a value that fits', person, { name: 'Ada' }, []],
  ['a field that is not published', person, { name: 'Ada', age: 1 }, ['age is not published']],
  ['a missing field', person, {}, ['name is missing']],
  ['a field named like a method of every object', person, { name: 'x', toString: 1 }, ['toString is not published']],
  ['another type', person, { name: 1 }, ['name is no string']],
  ['null', person, null, ['the body is no object']],
  ['a list instead of an object', person, [], ['the body is no object']],
  ['a field deep inside', { items: { $ref: '#' } }, [{ name: 'x', age: 1 }], ['0.age is not published']],
  ['any further fields', { ...person, additionalProperties: {} }, { name: 'x', age: 1 }, []],
  ['no further fields', { ...person, additionalProperties: false }, { name: 'x', age: 1 }, ['age is not published']],
  ['other further fields', { additionalProperties: text }, { age: 1 }, ['age is no string']],
  ['names of another form', { propertyNames: { maxLength: 1 } }, { ab: 1 }, ['the name ab is longer than 1']],
  ['a branch that fits', { anyOf: [{ type: 'null' }, person] }, { name: 'x' }, []],
  ['no branch that fits', { anyOf: [person, { type: 'null' }] }, { name: 'x', age: 1 }, ['age is not published']],
  ['a branch that the value names', byKind, { kind: 'a', name: 1 }, ['kind is not published', 'name is no string']],
  ['a branch that nothing names', byKind, { kind: 'b', name: 'x' }, ['kind names no schema']],
  ['a fraction', { type: 'integer' }, 1.5, ['the body is no integer']],
  ['one of two types', { type: ['string', 'null'] }, null, []],
  ['a word that is not in the list', { enum: ['a', 'b'] }, 'c', ['the body is none of a, b']],
  ['another constant', { const: 'a' }, 'b', ['the body is not "a"']],
  ['too few items', { minItems: 1 }, [], ['the body has less than 1 items']],
  ['too many items', { maxItems: 0 }, [1], ['the body has more than 0 items']],
  ['a text too short', { minLength: 1 }, '', ['the body is shorter than 1']],
  ['a number too small', { minimum: 1 }, 0, ['the body is below 1']],
  ['a number too big', { maximum: 1 }, 2, ['the body is above 1']],
  ['the bound itself', { exclusiveMinimum: 1 }, 1, ['the body is not above 1']],
  ['a text of another form', { pattern: '^a$' }, 'b', ['the body does not match ^a$']],
  ['no time', { format: 'date-time' }, '2026-13-01T00:00:00Z', ['the body is no date-time']],
  ['a time', { format: 'date-time' }, '2026-12-01T00:00:00.000Z', []],
  ['no id', { format: 'uuid' }, 'x', ['the body is no uuid']],
])('differences are found: %s', (_case, schema, value, found) => {
  expect(differences(schema, value, resolve)).toEqual(found);
});

test('a keyword or a format that is not checked does not pass in silence', () => {
  expect(() => differences({ multipleOf: 2 } as JsonSchema, 1, resolve)).toThrow('multipleOf');
  expect(() => differences({ format: 'ipv4' }, 'x', resolve)).toThrow('ipv4');
});
