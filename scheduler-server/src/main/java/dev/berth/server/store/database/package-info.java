/**
 * Database file: how it is opened, brought up to its newest schema, checked, backed up and restored. What its tables hold
 * belongs to the package above.
 */
@NullMarked
package dev.berth.server.store.database;

import org.jspecify.annotations.NullMarked;
