//! Cells of tables as text, with the same bytes that Python writes.

use std::io::Write;

/// Appends a number as Python's `repr`: the shortest text that reads back as the same number.
pub fn number(value: f64, into: &mut Vec<u8>) {
    if !value.is_finite() {
        let text: &[u8] = if value.is_nan() { b"nan" } else { b"inf" };
        into.extend_from_slice(if value < 0.0 { b"-" } else { b"" });
        return into.extend_from_slice(text);
    }
    let mut buffer = zmij::Buffer::new();
    let text = buffer.format_finite(value);
    // Ends of the range in which Python writes no exponent.
    if value == 0.0 || (1e-4..1e16).contains(&value.abs()) {
        return into.extend_from_slice(text.as_bytes());
    }
    // Writing to memory cannot fail.
    let _ = if let Some((digits, exponent)) = text.split_once('e') {
        let (sign, size) = exponent.split_at_checked(1).unwrap_or((exponent, ""));
        write!(into, "{digits}e{sign}{size:0>2}")
    } else {
        // Where only Python begins with exponents: 0.000012 is 1.2e-05.
        let (sign, digits) = text.split_once("0.0000").unwrap_or(("", text));
        let (first, rest) = digits.split_at_checked(1).unwrap_or((digits, ""));
        let point = if rest.is_empty() { "" } else { "." };
        write!(into, "{sign}{first}{point}{rest}e-05")
    };
}

/// Appends text as a cell between separators, in quotes if it contains a separator, a quote or a line end.
pub fn delimited(text: &[u8], separator: u8, into: &mut Vec<u8>) {
    if !text.iter().any(|byte| matches!(byte, b'"' | b'\n' | b'\r') || *byte == separator) {
        return into.extend_from_slice(text);
    }
    into.push(b'"');
    for &byte in text {
        if byte == b'"' {
            into.push(b'"');
        }
        into.push(byte);
    }
    into.push(b'"');
}

/// Appends text as a JSON string. Bytes that are not UTF-8 become the lone surrogates of Python's text.
pub fn json(text: &[u8], into: &mut Vec<u8>) {
    into.push(b'"');
    // The usual id needs no look at what its bytes encode.
    if text.iter().all(|byte| matches!(byte, 0x20..0x7f) && !matches!(byte, b'"' | b'\\')) {
        into.extend_from_slice(text);
        return into.push(b'"');
    }
    for chunk in text.utf8_chunks() {
        for &byte in chunk.valid().as_bytes() {
            match byte {
                b'"' | b'\\' => into.extend_from_slice(&[b'\\', byte]),
                b'\n' => into.extend_from_slice(b"\\n"),
                b'\r' => into.extend_from_slice(b"\\r"),
                b'\t' => into.extend_from_slice(b"\\t"),
                0x08 => into.extend_from_slice(b"\\b"),
                0x0c => into.extend_from_slice(b"\\f"),
                0..0x20 => {
                    let _ = write!(into, "\\u{byte:04x}");
                }
                _ => into.push(byte),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(into, "\\udc{byte:02x}");
        }
    }
    into.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut into = Vec::new();
        write(&mut into);
        String::from_utf8(into).unwrap()
    }

    #[test]
    fn numbers_are_written_as_by_python() {
        for (value, expected) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (-2.5, "-2.5"),
            (1e-4, "0.0001"),
            (9.999e-5, "9.999e-05"),
            (1e-5, "1e-05"),
            (-1.25e-5, "-1.25e-05"),
            (9.999999999999999e-6, "9.999999999999999e-06"),
            (1.5e-300, "1.5e-300"),
            (5e-324, "5e-324"),
            (123456789012345680.0, "1.2345678901234568e+17"),
            (9999999999999998.0, "9999999999999998.0"),
            (1e16, "1e+16"),
            (1e22, "1e+22"),
            // Halfway between two texts of the same length, the even one.
            (509.0 / 2_097_152.0, "0.00024271011352539062"),
            (4_398_046_511_105.0 / 64.0, "68719476736.01562"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(text(|into| number(value, into)), expected);
        }
    }

    #[test]
    fn texts_are_quoted() {
        assert_eq!(text(|into| delimited(b"a b", b',', into)), "a b");
        assert_eq!(text(|into| delimited(b"a,b", b'\t', into)), "a,b");
        assert_eq!(text(|into| delimited(b"a,\"b", b',', into)), "\"a,\"\"b\"");
        assert_eq!(text(|into| json(b"a\"\\\n\x01\xff", into)), "\"a\\\"\\\\\\n\\u0001\\udcff\"");
        assert_eq!(text(|into| json("é".as_bytes(), into)), "\"é\"");
    }
}
