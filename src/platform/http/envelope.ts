import { z } from 'zod';
import { type Instant, isoText } from '../units/instant.ts';
import { apiVersion } from '../../versions/rules/releases.ts';
import { Timestamp } from './fields.ts';

export const Pagination = z
  .object({
    page: z.int().describe('The requested page, from 1'),
    limit: z.int().describe('Maximum number of items on a page'),
    total: z.int().describe('Number of items on all pages, counted up to 10,000'),
    totalIsMinimum: z.boolean().describe('Whether there are more items than `total`'),
    next: z
      .string()
      .nullable()
      .describe('`after` of the next page; `null` on the last one, and in lists that have numbered pages only'),
  })
  .meta({ id: 'Pagination' });

const Metadata = z.object({
  timestamp: Timestamp.describe('Time of the response by the clock of the service; real time for sessions'),
  version: z.string().describe('Version of this API'),
});

/** The spec's general envelope around one resource. */
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
