export { type Client, createClient, requireData } from './client.ts';
export type { Connection } from './connection.ts';
export { type EventOfType, followEvents, type FollowOptions, type ServiceEvent, type Topic } from './follow-events.ts';
export type { components, operations, paths } from './schema.ts';
export { type ErrorCode, ServiceError } from './service-error.ts';
export type { Timing } from './timing.ts';
