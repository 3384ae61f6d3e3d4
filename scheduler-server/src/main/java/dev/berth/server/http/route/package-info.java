/**
 * The API's routes: one resource a noun, each thin, and the parts of long answers. A resource reads the request, asks
 * {@code access} who may, and has the rest done elsewhere; {@code ApiParts} connects them. What a submit means is in
 * {@code submit}, what an answer looks like in {@code view}.
 */
@NullMarked
package dev.berth.server.http.route;

import org.jspecify.annotations.NullMarked;
