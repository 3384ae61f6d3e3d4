/**
 * A request and its answer, whatever connection it comes by: who asks, what is asked, JSON and events, and the one form
 * of refusals. The rest of {@code http} is made of these; nothing here knows of a resource or of Jetty.
 */
@NullMarked
package dev.berth.server.http.exchange;

import org.jspecify.annotations.NullMarked;
