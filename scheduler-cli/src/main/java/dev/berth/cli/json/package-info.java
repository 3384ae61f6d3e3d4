/**
 * JSON by hand and field by field, because a command lives for half a tenth of a second: texts to the API's records and
 * back. What a field means belongs to {@code dev.berth.core.api}.
 */
@NullMarked
package dev.berth.cli.json;

import org.jspecify.annotations.NullMarked;
