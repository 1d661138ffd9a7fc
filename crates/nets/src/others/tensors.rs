//! Arrays of a network by the names that PyTorch gives them, weights as `[outputs, inputs]`.

use std::collections::BTreeMap;

use super::OtherError;

/// The most numbers of a network that are read.
pub(super) const MOST_NUMBERS: usize = 1 << 28;
/// The most arrays.
pub(super) const MOST_ARRAYS: usize = 10_000;

#[derive(Clone, Debug)]
pub(super) struct Tensor {
    pub(super) shape: Vec<usize>,
    pub(super) values: Vec<f32>,
}

#[derive(Clone, Debug, Default)]
pub(super) struct Tensors(pub(super) BTreeMap<String, Tensor>);

impl Tensors {
    pub(super) fn insert(&mut self, name: impl Into<String>, tensor: Tensor) {
        self.0.insert(name.into(), tensor);
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.0.contains_key(name)
    }

    pub(super) fn find(&self, name: &str) -> Result<&Tensor, OtherError> {
        self.0.get(name).ok_or_else(|| OtherError::Missing(name.to_owned()))
    }

    /// The shape of an array with two dimensions.
    pub(super) fn sides(&self, name: &str) -> Result<[usize; 2], OtherError> {
        let shape = &self.find(name)?.shape;
        <[usize; 2]>::try_from(&shape[..]).map_err(|_| OtherError::Shape {
            name: name.to_owned(),
            found: shape.clone(),
            expected: vec![0, 0],
        })
    }

    /// An array of this shape with numbers that are finite.
    pub(super) fn get(&self, name: &str, shape: &[usize]) -> Result<&[f32], OtherError> {
        let tensor = self.find(name)?;
        if tensor.shape != shape || tensor.values.len() != shape.iter().product::<usize>() {
            let (found, expected) = (tensor.shape.clone(), shape.to_vec());
            return Err(OtherError::Shape { name: name.to_owned(), found, expected });
        }
        match tensor.values.iter().all(|value| value.is_finite()) {
            true => Ok(&tensor.values),
            false => Err(OtherError::NotFinite(name.to_owned())),
        }
    }

    /// The weights of a layer as `[inputs, outputs]`.
    pub(super) fn layer(&self, name: &str, inputs: usize, outputs: usize) -> Result<Vec<f32>, OtherError> {
        Ok(transposed(self.get(name, &[outputs, inputs])?, outputs, inputs))
    }
}

/// The transpose of a matrix of so many rows and columns.
pub(super) fn transposed(values: &[f32], rows: usize, columns: usize) -> Vec<f32> {
    let mut out = vec![0.0; rows * columns];
    for (row, values) in values.chunks_exact(columns).enumerate() {
        for (column, value) in values.iter().enumerate() {
            out[column * rows + row] = *value;
        }
    }
    out
}
