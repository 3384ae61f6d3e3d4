/**
 * The API: one resource a noun, each thin; what they cannot do is answered by {@code ApiException} in one form. Who asks
 * is known from the kernel, or from a token. Jetty is seen in {@code HttpServer} and the classes that begin with
 * {@code Jetty} alone.
 */
@NullMarked
package dev.berth.server.http;

import org.jspecify.annotations.NullMarked;
