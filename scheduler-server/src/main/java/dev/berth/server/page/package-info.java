/**
 * The files of the web page, as the build put them into the jar: read once, so that nothing of a request's path reaches a
 * file system. How they are answered is not here but in {@code http}.
 */
@NullMarked
package dev.berth.server.page;

import org.jspecify.annotations.NullMarked;
