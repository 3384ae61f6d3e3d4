/**
 * What is done to a project as a whole: another name for it, and the end of it. What a project is, is a matter of its jobs alone;
 * routes are in {@code http.route}.
 */
@NullMarked
package dev.berth.server.project;

import org.jspecify.annotations.NullMarked;
