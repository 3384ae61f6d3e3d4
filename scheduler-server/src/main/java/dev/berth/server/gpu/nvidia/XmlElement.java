package dev.berth.server.gpu.nvidia;

import dev.berth.server.gpu.GpuException;
import java.io.StringReader;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.xml.stream.XMLInputFactory;
import javax.xml.stream.XMLStreamConstants;
import javax.xml.stream.XMLStreamException;
import javax.xml.stream.XMLStreamReader;

/**
 * An element of what {@code nvidia-smi -q -x} prints. Attributes are left out.
 *
 * @param text what stands in it by itself, without the blanks around it
 */
record XmlElement(String name, String text, List<XmlElement> children) {
    private static final int MAX_DEPTH = 64;

    /** Chosen by the process, of no use to anybody here, and not always written as XML wants it. */
    private static final Pattern NAME_OF_PROCESS = Pattern.compile("(?m)^\\s*<process_name>.*$");

    XmlElement {
        children = List.copyOf(children);
    }

    /**
     * Reads a document; its type definition is passed over, and no entity of it is looked at.
     *
     * @throws GpuException where it is no document
     */
    static XmlElement parse(String document) {
        XMLInputFactory factory = XMLInputFactory.newDefaultFactory();
        factory.setProperty(XMLInputFactory.SUPPORT_DTD, false);
        factory.setProperty(XMLInputFactory.IS_SUPPORTING_EXTERNAL_ENTITIES, false);
        factory.setProperty(XMLInputFactory.IS_REPLACING_ENTITY_REFERENCES, false);
        try {
            XMLStreamReader reader = factory.createXMLStreamReader(
                    new StringReader(NAME_OF_PROCESS.matcher(document).replaceAll("")));
            try {
                return read(reader);
            } finally {
                reader.close();
            }
        } catch (XMLStreamException e) {
            throw new GpuException("nvidia-smi printed what is not XML: " + e.getMessage(), e);
        }
    }

    private static XmlElement read(XMLStreamReader reader) throws XMLStreamException {
        Deque<Open> open = new ArrayDeque<>();
        while (reader.hasNext()) {
            switch (reader.next()) {
                case XMLStreamConstants.START_ELEMENT -> {
                    if (open.size() == MAX_DEPTH) {
                        throw new XMLStreamException("more than " + MAX_DEPTH + " elements within each other");
                    }
                    open.push(new Open(reader.getLocalName(), new StringBuilder(), new ArrayList<>()));
                }
                case XMLStreamConstants.CHARACTERS, XMLStreamConstants.CDATA -> {
                    if (!open.isEmpty()) {
                        open.peek().text().append(reader.getText());
                    }
                }
                case XMLStreamConstants.END_ELEMENT -> {
                    XmlElement done = open.pop().close();
                    if (open.isEmpty()) {
                        return done;
                    }
                    open.peek().children().add(done);
                }
                default -> {
                    // Comments, the document's type, what is meant for other programs.
                }
            }
        }
        throw new XMLStreamException("there is no element in it");
    }

    private record Open(String name, StringBuilder text, List<XmlElement> children) {
        XmlElement close() {
            return new XmlElement(name, text.toString().strip(), children);
        }
    }

    Stream<XmlElement> all(String child) {
        return children.stream().filter(it -> it.name.equals(child));
    }

    /** The text of the first element that such a path leads to, empty where none does. */
    String at(String... path) {
        Stream<XmlElement> at = Stream.of(this);
        for (String name : path) {
            at = at.flatMap(it -> it.all(name));
        }
        return at.map(XmlElement::text).findFirst().orElse("");
    }
}
