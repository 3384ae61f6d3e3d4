package dev.berth.core.command;

/**
 * The reason why a command cannot run.
 *
 * @param word the word at fault
 * @param rule what is wrong with it and what to do, as the end of a sentence that begins with the word
 * @param certain whether it cannot run; else it most likely cannot
 */
public record CommandFault(String word, String rule, boolean certain) {}
