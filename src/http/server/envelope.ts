import { z } from 'zod';
import { type Instant, isoText } from '../../domain/units/instant.ts';
import { Timestamp } from './fields.ts';

/** Of the contract, not of the program (spec, "Versioning" 2). */
export const apiVersion = 'v1.0.0';

export const Pagination = z
  .object({
    page: z.int().describe('From 1, as it was asked for'),
    limit: z.int().describe('How many a page has at most'),
    total: z.int().describe('How many there are on all pages'),
  })
  .meta({ id: 'Pagination' });

const Metadata = z.object({
  timestamp: Timestamp.describe('When it was answered, as the clock of the service has it; real time for sessions'),
  version: z.string().describe('Of this API'),
});

/** The spec's general envelope around one thing. */
export const Enveloped = <Data extends z.ZodType>(data: Data) =>
  z.object({ status: z.literal('success'), data, metadata: Metadata });

/** The spec's general envelope around a page. */
export const EnvelopedPage = <Data extends z.ZodType>(data: Data) =>
  z.object({ status: z.literal('success'), data, metadata: Metadata.extend({ pagination: Pagination }) });

export function enveloped<const Data>(data: Data, now: Instant) {
  return { status: 'success', data, metadata: { timestamp: isoText(now), version: apiVersion } } as const;
}

export function envelopedPage<const Data>(data: Data, pagination: z.infer<typeof Pagination>, now: Instant) {
  const metadata = { timestamp: isoText(now), version: apiVersion, pagination };
  return { status: 'success', data, metadata } as const;
}
