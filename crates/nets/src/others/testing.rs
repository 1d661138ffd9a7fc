//! Writes checkpoints as PyTorch does, for tests of their reader.

use std::io::{Cursor, Write};

use zip::{CompressionMethod, ZipWriter, write::SimpleFileOptions};

use super::tensors::Tensors;

/// An archive of a pickle and one storage for each array, under `model_state_dict`.
pub(super) fn pytorch_file(tensors: &Tensors) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored);
    let mut file = |name: &str, bytes: &[u8]| {
        zip.start_file(format!("archive/{name}"), options).unwrap();
        zip.write_all(bytes).unwrap();
    };
    file("data.pkl", &pickle(tensors));
    file("byteorder", b"little");
    for (number, tensor) in tensors.0.values().enumerate() {
        let bytes: Vec<u8> = tensor.values.iter().flat_map(|value| value.to_le_bytes()).collect();
        file(&format!("data/{number}"), &bytes);
    }
    file("version", b"3\n");
    zip.finish().unwrap().into_inner()
}

fn pickle(tensors: &Tensors) -> Vec<u8> {
    // Protocol 2; a dictionary with one entry that is a dictionary.
    let mut out = b"\x80\x02}".to_vec();
    text("model_state_dict", &mut out);
    out.extend(b"}(");
    for (number, (name, tensor)) in tensors.0.iter().enumerate() {
        text(name, &mut out);
        out.extend(b"ctorch._utils\n_rebuild_tensor_v2\n((");
        text("storage", &mut out);
        out.extend(b"ctorch\nFloatStorage\n");
        text(&number.to_string(), &mut out);
        text("cpu", &mut out);
        number_of(tensor.values.len(), &mut out);
        // The storage by its identity, from its beginning.
        out.extend(b"tQK\x00");
        tuple(&tensor.shape, &mut out);
        let strides: Vec<usize> =
            (0..tensor.shape.len()).map(|at| tensor.shape[at + 1..].iter().product()).collect();
        tuple(&strides, &mut out);
        out.extend(b"\x89ccollections\nOrderedDict\n)RtR");
    }
    out.extend(b"us.");
    out
}

fn text(text: &str, out: &mut Vec<u8>) {
    out.push(b'X');
    out.extend((text.len() as u32).to_le_bytes());
    out.extend(text.as_bytes());
}

fn number_of(number: usize, out: &mut Vec<u8>) {
    out.push(b'J');
    out.extend((number as i32).to_le_bytes());
}

fn tuple(numbers: &[usize], out: &mut Vec<u8>) {
    out.push(b'(');
    numbers.iter().for_each(|&number| number_of(number, out));
    out.push(b't');
}
