/**
 * The configuration by which this server is asked to run: the settings, the files, variables and flags they come from,
 * and what is wrong with them, all at once. What a setting does is the business of the room that it is about.
 */
@NullMarked
package dev.berth.server.config;

import org.jspecify.annotations.NullMarked;
