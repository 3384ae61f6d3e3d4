/**
 * The server's own log: each event on lines of its own, whatever users, registries and engines put into its text. Not
 * the logs of jobs, which are kept as their programs wrote them.
 */
@NullMarked
package dev.berth.server.logging;

import org.jspecify.annotations.NullMarked;
