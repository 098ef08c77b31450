import { listAuditLogRoute } from './list-audit-log.ts';
import { verifyAuditLogRoute } from './verify-audit-log.ts';

/** The operations on the audit log, in the order of the OpenAPI document. */
export const auditLogRoutes = [listAuditLogRoute, verifyAuditLogRoute];
