/**
 * The access of those who ask, and what they may do: the caller, as the kernel or a token says, roles, and the rules of
 * jobs. Refusals are {@code ApiException}s. How connections are counted is not here but in {@code http}.
 */
@NullMarked
package dev.berth.server.http.access;

import org.jspecify.annotations.NullMarked;
