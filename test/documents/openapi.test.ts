import { readFile } from 'node:fs/promises';
import { expect, test } from '@jest/globals';
import { asyncApiDocument } from '../../src/events/asyncapi/document.ts';
import { developmentErrors } from '../../src/platform/error-registry.ts';
import { developmentIntroduction } from '../../src/platform/openapi/document.ts';
import { sharedDocument } from '../stack/shared-document.ts';

interface Published {
  readonly info: { readonly description: string };
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly 'x-error-codes': object;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly description?: string }[];
}

const documents = {
  production: JSON.parse(await readFile('docs/openapi.json', 'utf8')) as Published,
  development: sharedDocument() as unknown as Published,
};
const operationsOf = ({ paths }: Published) => Object.values(paths).flatMap((path) => Object.values(path));

test.each(Object.entries(documents))(
  'every parameter has a description where viewers look for it (%s)',
  (_name, document) => {
    const parameters = operationsOf(document).flatMap(({ operationId, parameters: all = [] }) =>
      all.map(({ name, description }) => [`${operationId} ${name}`, description] as const),
    );
    expect(parameters.length).toBeGreaterThan(400);
    expect(parameters.filter(([, description = '']) => description === '')).toEqual([]);
  },
);

test('the documents of a service without the development stack do not mention it', () => {
  const development = /\/dev\b|\bdev[A-Z]|[Dd]evelopment|[Ff]aucet|npm start/;
  const text = JSON.stringify([documents.production, asyncApiDocument('1.0.0')]);
  expect(text.match(development)).toBeNull();
  expect(Object.keys(developmentErrors).filter((code) => text.includes(code))).toEqual([]);
});

test('the document of the development stack has its operations, their group, their errors, and how to begin', () => {
  const { info, tags, paths, 'x-error-codes': codes } = documents.development;
  expect(Object.keys(paths)).toContain('/dev/faucet');
  expect(tags.map(({ name }) => name)).toContain('Development');
  expect(Object.keys(codes)).toEqual(expect.arrayContaining(Object.keys(developmentErrors)));
  expect(info.description).toContain(developmentIntroduction);
  const named = [...developmentIntroduction.matchAll(/`(dev[A-Z]\w+)`/g)].map(([, name]) => name);
  expect(named).toHaveLength(5);
  expect(operationsOf(documents.development).map(({ operationId }) => operationId)).toEqual(
    expect.arrayContaining(named),
  );
});
