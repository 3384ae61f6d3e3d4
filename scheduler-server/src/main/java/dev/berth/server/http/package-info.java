/**
 * HTTP: connections and their bounds, the router, server-sent events, JSON, and the one form of refusals. Jetty is seen in
 * {@code HttpServer} and the classes that begin with {@code Jetty} alone. What is answered is in {@code route}, {@code
 * access}, {@code submit} and {@code view}.
 */
@NullMarked
package dev.berth.server.http;

import org.jspecify.annotations.NullMarked;
