/**
 * The submit of a job: the request is checked field by field, filled up from the configuration, and made a complete
 * specification, or refused with the field that breaks a rule.
 */
@NullMarked
package dev.berth.server.http.submit;

import org.jspecify.annotations.NullMarked;
