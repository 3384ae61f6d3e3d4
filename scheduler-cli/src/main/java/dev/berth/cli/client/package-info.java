/**
 * The way to the server: where its socket is, the API's verbs as methods, and following a job over breaks of the
 * connection. Nothing here prints.
 */
@NullMarked
package dev.berth.cli.client;

import org.jspecify.annotations.NullMarked;
