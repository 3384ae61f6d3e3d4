/**
 * HTTP/1.1 as the command needs it, over a Unix socket or TCP: a request, an answer's head and body, a connection
 * that is kept, TLS. What is asked for and what answers mean is not here.
 */
@NullMarked
package dev.berth.cli.client.http;

import org.jspecify.annotations.NullMarked;
