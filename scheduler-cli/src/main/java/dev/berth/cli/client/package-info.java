/**
 * The way to the server: where its socket is, HTTP/1.1 over it by hand, the API's verbs as methods, and following a job
 * over breaks of the connection. Nothing here prints.
 */
@NullMarked
package dev.berth.cli.client;

import org.jspecify.annotations.NullMarked;
