import type { Request, Response } from 'express';
import type { z } from 'zod';

const errorNames: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  425: 'Mempool Full',
  429: 'Project Over Limit',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

/** An error that the server sends as Blockfrost's error body. */
export class Refusal extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Blockfrost's 404. */
export function notFound(): Refusal {
  return new Refusal(404, 'The requested component has not been found.');
}

/** The value, or Blockfrost's 404. */
export function requireFound<T>(value: T | undefined): T {
  if (value === undefined) throw notFound();
  return value;
}

/** Sends Blockfrost's error body. */
export function sendError(res: Response, status: number, message: string): void {
  res.status(status).json({ status_code: status, error: errorNames[status] ?? 'Error', message });
}

/** The page of `items` (oldest first) that `count`, `page` and `order` ask for; refuses bad ones as Blockfrost does. */
export function pageOf<T>(req: Request, items: readonly T[]): T[] {
  return sliceOf(req, items.length, (start, end) => items.slice(start, end));
}

/** As `pageOf`, over the whole numbers from `first` to `last` without listing them all. */
export function pageOfNumbers(req: Request, first: number, last: number): number[] {
  return sliceOf(req, Math.max(0, last - first + 1), (start, end) =>
    Array.from({ length: end - start }, (_, index) => first + start + index),
  );
}

function sliceOf<T>(req: Request, length: number, slice: (start: number, end: number) => T[]): T[] {
  const count = pageNumber(req, 'count', 100, 100);
  const skipped = (pageNumber(req, 'page', 1, 21_474_836) - 1) * count;
  const order = req.query.order ?? 'asc';
  if (order !== 'asc' && order !== 'desc') {
    throw new Refusal(400, 'querystring/order must be equal to one of the allowed values');
  }
  const near = Math.min(skipped, length);
  const far = Math.min(skipped + count, length);
  return order === 'asc' ? slice(near, far) : slice(length - far, length - near).reverse();
}

function pageNumber(req: Request, name: string, fallback: number, most: number): number {
  const given = req.query[name];
  if (given === undefined) return fallback;
  if (typeof given !== 'string' || !/^-?\d+$/.test(given))
    throw new Refusal(400, `querystring/${name} must be integer`);
  const value = Number(given);
  if (value < 1) throw new Refusal(400, `querystring/${name} must be >= 1`);
  if (value > most) throw new Refusal(400, `querystring/${name} must be <= ${most}`);
  return value;
}

/** Parses the JSON body by `schema`; a missing body counts as {}. Refuses with 400 and the name of the field. */
export function parseBody<T extends z.ZodType>(schema: T, req: Request): z.infer<T> {
  const body: unknown = req.body;
  const result = schema.safeParse(body ?? {});
  if (result.success) return result.data;
  const reasons = result.error.issues.map((issue) => `${issue.path.join('.') || 'body'}: ${issue.message}`);
  throw new Refusal(400, reasons.join('; '));
}
