/** JSON forms that are both sent and stored. */
@NullMarked
package dev.berth.server.json;

import org.jspecify.annotations.NullMarked;
