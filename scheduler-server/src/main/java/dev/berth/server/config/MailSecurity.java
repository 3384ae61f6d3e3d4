package dev.berth.server.config;

/** How a mail server is spoken to. */
public enum MailSecurity {
    /** In plain text at first, and then by TLS, or not at all. */
    STARTTLS,
    /** By TLS from the beginning. */
    TLS,
    /** In plain text: for a server on the same machine. */
    NONE
}
