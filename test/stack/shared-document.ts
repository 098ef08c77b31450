import { readFileSync } from 'node:fs';
import type { PublishedDocument } from '../contract/published-document.ts';
import { sharedStack } from './shared-stack.ts';

let document: PublishedDocument | undefined;

/** The OpenAPI document of the service and its development endpoints. */
export function sharedDocument(): PublishedDocument {
  return (document ??= JSON.parse(readFileSync(sharedStack().openApiFile, 'utf8')) as PublishedDocument);
}
