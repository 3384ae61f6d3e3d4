/**
 * The views that the API shows: the records of {@code core.api}, made of what the loop has published and the store
 * holds. Nothing here changes anything or decides who may see it.
 */
@NullMarked
package dev.berth.server.http.view;

import org.jspecify.annotations.NullMarked;
