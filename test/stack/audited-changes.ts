/** Number of changes in the audit log, as SQL. Refused accesses and reads of personal data are written each minute, whatever is asked meanwhile. */
export const auditedChanges = `(select count(*) from audit_log
  where right(action, 8) <> '_REFUSED' and action <> 'PERSONAL_DATA_READ')`;
